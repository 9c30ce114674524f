{{/*
Values that once had other names: the earlier name still works, so that values of before go on. A value that has both names is
refused where they differ. This is the only place that reads the earlier ones.
*/}}
{{- define "pipewright.earlierNames" -}}
replicas: replicaCount
crds.install: crds.enabled
image.pullSecrets: imagePullSecrets
{{- end -}}

{{/* Takes a list of the earlier name, its value, the new name and its value: gives the value as JSON; null where there is none. */}}
{{- define "pipewright.renamed" -}}
{{- $earlier := index . 1 -}}
{{- $value := index . 3 -}}
{{- if and (not (kindIs "invalid" $earlier)) (not (kindIs "invalid" $value)) (ne (toJson $earlier) (toJson $value)) -}}
{{- fail (printf "%s is %s, but %s, its earlier name, is %s: leave %s out; --set %s=null takes it out of values that are reused" (index . 2) (toJson $value) (index . 0) (toJson $earlier) (index . 0) (index . 0)) -}}
{{- end -}}
{{- ternary $earlier $value (kindIs "invalid" $value) | toJson -}}
{{- end -}}

{{/*
A null of the user takes a default away. Some would be missed by nobody until it is too late: without networkPolicy.apiServer.ports
every port is open.
*/}}
{{- define "pipewright.refuseNulls" -}}
{{- range $path := include "pipewright.needed" . | fromJsonArray -}}
{{- $value := $.Values -}}
{{- range splitList "." $path -}}
{{- if not (and (kindIs "map" $value) (hasKey $value .)) -}}
{{- fail (printf "%s has no value: it was set to null, or the values are those of an older chart, as with --reuse-values; leave it out to get the default, and upgrade with --reset-then-reuse-values" $path) -}}
{{- end -}}
{{- $value = get $value . -}}
{{- end -}}
{{- end -}}
{{- if and .Chart.IsRoot (hasKey .Values "enabled") -}}
{{- fail "enabled is for the condition of a parent chart, and does nothing here: leave it out; replicaCount=0 stops the operator" -}}
{{- end -}}
{{- end -}}

{{- define "pipewright.replicas" -}}
{{- $number := list "replicas" .Values.replicas "replicaCount" .Values.replicaCount | include "pipewright.renamed" -}}
{{- ternary "1" $number (eq $number "null") -}}
{{- end -}}

{{/* Something, or nothing where the release leaves the CRDs to another one. */}}
{{- define "pipewright.crdsEnabled" -}}
{{- if ne (list "crds.install" .Values.crds.install "crds.enabled" .Values.crds.enabled | include "pipewright.renamed") "false" -}}
true
{{- else if not .Values.crds.keep -}}
{{- fail "crds.enabled and crds.keep are false: CRDs that this release has made would be deleted, and every object with them. Upgrade with crds.enabled=true and crds.keep=true first, and leave crds.keep out after that" -}}
{{- end -}}
{{- end -}}

{{/* The Secrets for the registry, those of a parent chart too, as a list in YAML. */}}
{{- define "pipewright.imagePullSecrets" -}}
{{- $earlier := list -}}
{{- range .Values.image.pullSecrets -}}{{- $earlier = append $earlier (dict "name" .) -}}{{- end -}}
{{- $own := list "image.pullSecrets" (default nil $earlier) "imagePullSecrets" (default nil .Values.imagePullSecrets) | include "pipewright.renamed" -}}
{{- $all := list -}}
{{- if ne $own "null" -}}{{- $all = fromJsonArray $own -}}{{- end -}}
{{- range ((.Values.global).imagePullSecrets) -}}
{{- $all = append $all (kindIs "string" . | ternary (dict "name" .) .) -}}
{{- end -}}
{{- if $all -}}{{- $all | uniq | toYaml -}}{{- end -}}
{{- end -}}

{{/* What to rename, for NOTES.txt. */}}
{{- define "pipewright.toRename" -}}
{{- range $earlier, $name := include "pipewright.earlierNames" . | fromYaml -}}
{{- $value := $.Values -}}
{{- range splitList "." $earlier -}}{{- $value = get $value . -}}{{- end -}}
{{- if not (or (kindIs "invalid" $value) (kindIs "string" $value)) }}
  {{ $earlier }} is now {{ $name }}
{{- if eq $earlier "image.pullSecrets" }}, with objects: [{name: registry}]{{ end }}
{{- end -}}
{{- end -}}
{{- end -}}
