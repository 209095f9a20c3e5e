#!/usr/bin/env bash
# Checks the files of deploy/ that no test runs: the manifests are YAML whose parts fit together, the profile is JSON, and HAProxy takes
# its configuration. What a host lacks is left out and named; 77 says that nothing could be checked.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PATH=$PATH:/usr/sbin:/sbin
checked=0

if command -v haproxy > /dev/null; then
    IOXIDE_BIND=127.0.0.1:8000 IOXIDE_SERVER_1=127.0.0.1:8001 IOXIDE_SERVER_2=127.0.0.1:8002 IOXIDE_ADMIN=/run/haproxy.sock \
        haproxy -c -q -f deploy/haproxy.cfg
    checked=1
else
    echo "no haproxy here: deploy/haproxy.cfg is not checked"
fi

if ! command -v python3 > /dev/null || ! python3 -c 'import yaml' 2> /dev/null; then
    echo "no python3 with yaml here: deploy/kubernetes.yaml is not checked"
    [[ $checked -eq 1 ]] || exit 77
    exit 0
fi

python3 - << 'PYTHON'
import json
import yaml

SHUTDOWN_TIMEOUT_SECONDS = 30  # HostOptions.ShutdownTimeout

json.load(open("deploy/seccomp.json"))
parts = {part["kind"]: part for part in yaml.safe_load_all(open("deploy/kubernetes.yaml"))}
deployment, service = parts["Deployment"]["spec"], parts["Service"]["spec"]
pod = deployment["template"]["spec"]
container = pod["containers"][0]
labels = deployment["template"]["metadata"]["labels"]
ports = {port["name"] for port in container["ports"]}

assert deployment["selector"]["matchLabels"] == labels, "the deployment does not select its pods"
assert service["selector"] == labels, "the service does not select the pods"
assert parts["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels, "the budget does not select the pods"
assert parts["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] == parts["Deployment"]["metadata"]["name"]
assert all(port["targetPort"] in ports for port in service["ports"]), "the service names a port that the pod does not have"

environment = {entry["name"]: entry["value"] for entry in container["env"]}
hours, minutes, seconds = map(int, environment["Ioxide__StopDelay"].split(":"))
delay = 3600 * hours + 60 * minutes + seconds
readiness = container["readinessProbe"]
for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
    assert container[probe]["httpGet"]["port"] in ports, f"{probe} asks a port that the pod does not have"
assert readiness["httpGet"]["path"] != container["livenessProbe"]["httpGet"]["path"], "what drains would be killed"
assert delay > readiness["failureThreshold"] * (readiness["periodSeconds"] + readiness["timeoutSeconds"]), \
    "the listeners close before the probe has noticed"
assert pod["terminationGracePeriodSeconds"] > delay + SHUTDOWN_TIMEOUT_SECONDS, "the pod is killed before it has drained"
PYTHON
echo "deploy/ is sound"
