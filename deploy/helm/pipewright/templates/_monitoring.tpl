{{/* The label job of this release's metrics: that of a PodMonitor of the release's name, for a ServiceMonitor too. */}}
{{- define "pipewright.job" -}}
{{- printf "%s/%s" .Release.Namespace (include "pipewright.fullname" .) -}}
{{- end -}}

{{/* What stands in place of the matcher job=~".*" in the alerts. */}}
{{- define "pipewright.releaseMatchers" -}}
{{- if .Values.metrics.rules.job -}}
{{- $_ := mustRegexMatch .Values.metrics.rules.job "" -}}
{{- printf "job=~%q" .Values.metrics.rules.job -}}
{{- else if or .Values.metrics.podMonitor.enabled .Values.metrics.serviceMonitor.enabled -}}
{{- printf "job=%q" (include "pipewright.job" .) -}}
{{- else -}}
job=~".*"
{{- end -}}
{{- with .Values.metrics.rules.cluster -}}
{{- printf ", cluster=%q" . -}}
{{- end -}}
{{- end -}}

{{/* Name of an object for Prometheus or Grafana: in a namespace of others, releases of one name meet. */}}
{{- define "pipewright.monitoringName" -}}
{{- $namespace := default .root.Release.Namespace .namespace -}}
{{- include (ternary "pipewright.fullname" "pipewright.clusterName" (eq $namespace .root.Release.Namespace)) .root -}}
{{- end -}}

{{/* The spec of the PrometheusRule: the alerts of deploy/monitoring, about this release. */}}
{{- define "pipewright.alerts" -}}
{{- $values := .Values.metrics.rules -}}
{{- $file := .Files.Get "files/monitoring/rules.yaml" | required "metrics.rules.enabled is true, but this copy of the chart has no files/monitoring/rules.yaml" | fromYaml -}}
{{- $matchers := include "pipewright.releaseMatchers" . -}}
{{- $known := list -}}
{{- $groups := list -}}
{{- range $group := $file.groups -}}
{{- $rules := list -}}
{{- range $rule := $group.rules -}}
{{- $known = append $known $rule.alert -}}
{{- $_ := set $rule "expr" (replace `job=~".*"` $matchers $rule.expr) -}}
{{- $_ := set $rule "labels" (mergeOverwrite $rule.labels (default dict $values.alertLabels)) -}}
{{- if $values.runbookUrl -}}
{{- $_ := set $rule.annotations "runbook_url" (printf "%s#%s" $values.runbookUrl (lower $rule.alert)) -}}
{{- else -}}
{{- $_ := unset $rule.annotations "runbook_url" -}}
{{- end -}}
{{- if not (has $rule.alert (default list $values.disabled)) -}}{{- $rules = append $rules $rule -}}{{- end -}}
{{- end -}}
{{- if $rules -}}{{- $groups = append $groups (dict "name" $group.name "rules" $rules) -}}{{- end -}}
{{- end -}}
{{- range $values.disabled -}}
{{- if not (has . $known) -}}
{{- fail (printf "metrics.rules.disabled has %q, which is the name of no alert: these are %s" . ($known | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- dict "groups" $groups | toYaml -}}
{{- end -}}

{{/* Refuses a scrape that may take longer than the time to the next one: Prometheus would not load it. */}}
{{- define "pipewright.checkedTimeout" -}}
{{- $monitor := .monitor -}}
{{- if and $monitor.interval (gt (include "pipewright.seconds" $monitor.scrapeTimeout | int) (include "pipewright.seconds" $monitor.interval | int)) -}}
{{- fail (printf "%s.scrapeTimeout is %s, longer than %s.interval, which is %s: set it to that or less" .path $monitor.scrapeTimeout .path $monitor.interval) -}}
{{- end -}}
{{- $monitor.scrapeTimeout -}}
{{- end -}}
