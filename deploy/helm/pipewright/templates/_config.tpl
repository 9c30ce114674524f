{{/* The operator's flags as environment variables; what is empty is left to its own defaults. */}}
{{- define "pipewright.config" -}}
{{- $config := dict "PIPEWRIGHT_API_URL" (include "pipewright.apiUrl" .) -}}
{{- range $name, $value := dict "HTTPS_PROXY" .Values.proxy.httpsProxy "HTTP_PROXY" .Values.proxy.httpProxy -}}
{{- if contains "@" (default "" $value) -}}
{{- fail "proxy has a URL with a user name or password, which whoever may read the ConfigMap would see: put it into a Secret and name that in proxy.secret" -}}
{{- end -}}
{{- if and $value $.Values.proxy.secret -}}
{{- fail (printf "proxy.secret takes the place of proxy.httpsProxy and proxy.httpProxy, but one of them is %q too: leave one of them out" $value) -}}
{{- end -}}
{{- $_ := set $config $name $value -}}
{{- end -}}
{{- $_ := set $config "NO_PROXY" .Values.proxy.noProxy -}}
{{- with .Values.api -}}
{{- if .allowHttp -}}{{- $_ := set $config "PIPEWRIGHT_API_ALLOW_HTTP" "true" -}}{{- end -}}
{{- if .ca.configMap -}}{{- $_ := set $config "PIPEWRIGHT_API_CA_FILE" "/etc/pipewright/api-ca/ca.crt" -}}{{- end -}}
{{- $_ := set $config "PIPEWRIGHT_API_RATE" .rate -}}
{{- $_ := set $config "PIPEWRIGHT_API_RATE_TOTAL" .rateTotal -}}
{{- $_ := set $config "PIPEWRIGHT_API_IN_FLIGHT" .inFlight -}}
{{- $_ := set $config "PIPEWRIGHT_API_TIMEOUT" .timeout -}}
{{- end -}}
{{- $_ := set $config "PIPEWRIGHT_NAMESPACES" (join "," .Values.namespaces) -}}
{{- $_ := set $config "PIPEWRIGHT_SELECTOR" .Values.selector -}}
{{- $_ := set $config "PIPEWRIGHT_SECRET_SELECTOR" .Values.secrets.selector -}}
{{- $_ := set $config "PIPEWRIGHT_CONCURRENCY" .Values.concurrency -}}
{{- if .Values.planOnly -}}{{- $_ := set $config "PIPEWRIGHT_PLAN_ONLY" "true" -}}{{- end -}}
{{- $_ := set $config "PIPEWRIGHT_CLEANUP_DEADLINE" .Values.cleanupDeadline -}}
{{- $_ := set $config "PIPEWRIGHT_LOG_LEVEL" .Values.logLevel -}}
{{- if ne (int .Values.port) 8080 -}}{{- $_ := set $config "PIPEWRIGHT_LISTEN" (printf ":%d" (int .Values.port)) -}}{{- end -}}
{{- with .Values.metrics.secure -}}
{{- if .enabled -}}
{{- if not .certificateSecret -}}
{{- fail "metrics.secure.certificateSecret is required with metrics.secure.enabled: the name of a Secret with tls.crt and tls.key" -}}
{{- end -}}
{{- if eq (int .port) (int $.Values.port) -}}
{{- fail (printf "metrics.secure.port is %d, which is the port of the probes: choose another" (int .port)) -}}
{{- end -}}
{{- $_ := set $config "PIPEWRIGHT_METRICS_LISTEN" (printf ":%d" (int .port)) -}}
{{- $_ := set $config "PIPEWRIGHT_METRICS_TLS_CERT" "/etc/pipewright/metrics-tls/tls.crt" -}}
{{- $_ := set $config "PIPEWRIGHT_METRICS_TLS_KEY" "/etc/pipewright/metrics-tls/tls.key" -}}
{{- end -}}
{{- end -}}
{{- with .Values.kubeconfig -}}
{{- if .secret -}}
{{- $_ := set $config "PIPEWRIGHT_KUBECONFIG" "/etc/pipewright/kubeconfig/kubeconfig" -}}
{{- $_ := set $config "PIPEWRIGHT_CONTEXT" .context -}}
{{- else if .context -}}
{{- fail (printf "kubeconfig.context is %q, but there is no kubeconfig: set kubeconfig.secret too" .context) -}}
{{- end -}}
{{- end -}}
{{- with .Values.leaderElection -}}
{{- if not .enabled -}}
{{- $replicas := include "pipewright.replicas" $ | int -}}
{{- if gt $replicas 1 -}}
{{- fail (printf "replicaCount is %d without leaderElection.enabled: they would all send the same calls; set replicaCount to 1, or let them elect a leader" $replicas) -}}
{{- end -}}
{{- $_ := set $config "PIPEWRIGHT_LEADER_ELECT" "false" -}}
{{- else -}}
{{- /* With a kubeconfig the operator does not know that it runs in a cluster. */ -}}
{{- if $.Values.kubeconfig.secret -}}
{{- $_ := set $config "PIPEWRIGHT_LEADER_ELECT" "true" -}}
{{- $_ := set $config "PIPEWRIGHT_LEADER_ELECT_NAMESPACE" (include "pipewright.leaseNamespace" $) -}}
{{- end -}}
{{- if .namespace -}}{{- $_ := set $config "PIPEWRIGHT_LEADER_ELECT_NAMESPACE" .namespace -}}{{- end -}}
{{- $_ := set $config "PIPEWRIGHT_LEADER_ELECT_NAME" .name -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $config }}
{{- if $value }}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end -}}
