{{/* Variables of extraEnv that would undo what the chart sets, or run other code than the image's. */}}
{{- define "pipewright.extraEnv" -}}
{{- $values := include "pipewright.valueOf" . | fromJson -}}
{{- range .Values.extraEnv -}}
{{- $name := .name -}}
{{- if hasKey $values (upper $name) -}}
{{- fail (printf "extraEnv has %s, which the chart sets from its values: use %s" $name (get $values (upper $name))) -}}
{{- else if eq $name "KUBECONFIG" -}}
{{- fail "extraEnv has KUBECONFIG, which names another cluster and its token: use kubeconfig.secret" -}}
{{- else if hasPrefix "PIPEWRIGHT_" $name -}}
{{- fail (printf "extraEnv has %s, and this chart knows no such flag: give it as --flag=value in extraArgs if the image is newer than the chart" $name) -}}
{{- else if regexMatch "^(NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_USE_.*|SSL_CERT_(FILE|DIR))$" $name -}}
{{- fail (printf "extraEnv has %s, by which other certificates would be trusted: use api.ca.configMap for a CA of the management API or its proxy" $name) -}}
{{- else if and (regexMatch "^(NODE_|LD_|OPENSSL_)" $name) (not (has $name (list "NODE_NAME" "NODE_IP"))) -}}
{{- fail (printf "extraEnv has %s, which changes what Node runs, may do or writes to the log: leave it out" $name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.extraEnv -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{/* Flags that the chart does not know. A word without dashes would be a command of the image, such as plugin. */}}
{{- define "pipewright.extraArgs" -}}
{{- $values := include "pipewright.valueOf" . | fromJson -}}
{{- range .Values.extraArgs -}}
{{- $flag := regexFind "^--[a-z][a-z0-9-]*" . -}}
{{- $rest := trimPrefix $flag . -}}
{{- $variable := printf "PIPEWRIGHT_%s" (trimPrefix "--" $flag | trimPrefix "no-" | upper | replace "-" "_") -}}
{{- if hasKey $values $variable -}}
{{- fail (printf "extraArgs has %s, which the chart sets from its values: use %s" $flag (get $values $variable)) -}}
{{- else if has $flag (list "--help" "--version") -}}
{{- fail (printf "extraArgs has %s, with which the operator would print that and end: leave it out" $flag) -}}
{{- else if not (and $flag (or (not $rest) (hasPrefix "=" $rest))) -}}
{{- fail (printf "extraArgs has %q: write each flag as --flag=value" .) -}}
{{- end -}}
{{- end -}}
{{- with .Values.extraArgs -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{- define "pipewright.extraVolumes" -}}
{{- range .Values.extraVolumes -}}
{{- if has .name (list "api-ca" "kubeconfig" "metrics-tls") -}}
{{- fail (printf "extraVolumes has %s, the name of a volume of the chart: choose another" .name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.extraVolumes -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{/* Elsewhere a mount would be of no use, or lie over the operator's code. */}}
{{- define "pipewright.extraVolumeMounts" -}}
{{- range .Values.extraVolumeMounts -}}
{{- $path := clean .mountPath -}}
{{- if regexMatch "^/etc/pipewright/(api-ca|kubeconfig|metrics-tls)(/|$)" $path -}}
{{- fail (printf "extraVolumeMounts has %s, where the chart mounts its own: choose another folder below /etc/pipewright" .mountPath) -}}
{{- else if not (or (hasPrefix "/etc/pipewright/" $path) (eq $path (include "pipewright.tokenFolder" $))) -}}
{{- fail (printf "extraVolumeMounts has %s, which the operator cannot read: mount it below /etc/pipewright, or a token at %s" .mountPath (include "pipewright.tokenFolder" $)) -}}
{{- end -}}
{{- if and (eq $path (include "pipewright.tokenFolder" $)) $.Values.serviceAccount.automount -}}
{{- fail (printf "extraVolumeMounts has %s, where Kubernetes mounts the token: set serviceAccount.automount=false too" .mountPath) -}}
{{- end -}}
{{- end -}}
{{- with .Values.extraVolumeMounts -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{- define "pipewright.tokenFolder" -}}
/var/run/secrets/kubernetes.io/serviceaccount
{{- end -}}

{{/* Whether Kubernetes mounts the token. Without one, and without a kubeconfig, the operator reaches no cluster. */}}
{{- define "pipewright.automount" -}}
{{- $given := false -}}
{{- range .Values.extraVolumeMounts -}}
{{- if eq (clean .mountPath) (include "pipewright.tokenFolder" $) -}}{{- $given = true -}}{{- end -}}
{{- end -}}
{{- if not (or .Values.serviceAccount.automount .Values.kubeconfig.secret $given) -}}
{{- fail (printf "serviceAccount.automount is false, and the operator has no other token: mount one with extraVolumes and extraVolumeMounts at %s, or set kubeconfig.secret" (include "pipewright.tokenFolder" .)) -}}
{{- end -}}
{{- .Values.serviceAccount.automount -}}
{{- end -}}

{{/* Without leader election the Pod before must be gone first, or two would work at the same time. */}}
{{- define "pipewright.strategy" -}}
{{- if .Values.leaderElection.enabled -}}
{{- with .Values.strategy -}}{{- toYaml . -}}{{- end -}}
{{- else -}}
{{- if not (has (default "Recreate" .Values.strategy.type) (list "Recreate")) -}}
{{- fail (printf "strategy.type is %s without leaderElection.enabled: two Pods would work at the same time; set it to Recreate, or leave it out" .Values.strategy.type) -}}
{{- end -}}
{{- if .Values.strategy.rollingUpdate -}}
{{- fail "strategy.rollingUpdate is set without leaderElection.enabled: two Pods would work at the same time; leave it out" -}}
{{- end -}}
type: Recreate
{{- end -}}
{{- end -}}

{{- define "pipewright.dnsPolicy" -}}
{{- default (ternary "ClusterFirstWithHostNet" "" .Values.hostNetwork) .Values.dnsPolicy -}}
{{- end -}}
