using System.Globalization;
using YamlDotNet.RepresentationModel;

namespace Ioxide.Docs.Tests;

/// <summary>The parts of deploy/kubernetes.yaml name each other, and its times leave a pod the time to drain.</summary>
public class KubernetesTests
{
    private static readonly TimeSpan s_shutdownTimeout = TimeSpan.FromSeconds(30); // HostOptions.ShutdownTimeout

    private static readonly Dictionary<string, YamlNode> s_parts = Read();
    private static readonly YamlNode s_pod = s_parts["Deployment"]["spec"]["template"];
    private static readonly YamlNode s_container = s_pod["spec"]["containers"][0];

    [Fact]
    public void TheDeploymentTheServiceAndTheBudgetSelectThePods()
    {
        YamlNode labels = s_pod["metadata"]["labels"];
        Assert.Equal(labels, s_parts["Deployment"]["spec"]["selector"]["matchLabels"]);
        Assert.Equal(labels, s_parts["Service"]["spec"]["selector"]);
        Assert.Equal(labels, s_parts["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]);
    }

    [Fact]
    public void TheAutoscalerScalesTheDeployment()
        => Assert.Equal(s_parts["Deployment"]["metadata"]["name"], s_parts["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"]);

    [Fact]
    public void TheServiceAndTheProbesAskPortsThatThePodHas()
    {
        YamlNode[] ports = [.. Items(s_container["ports"]).Select(static port => port["name"])];
        Assert.All(Items(s_parts["Service"]["spec"]["ports"]), port => Assert.Contains(port["targetPort"], ports));
        Assert.All(["startupProbe", "livenessProbe", "readinessProbe"], probe => Assert.Contains(s_container[probe]["httpGet"]["port"], ports));
    }

    [Fact]
    public void APodThatDrainsIsAlive()
        => Assert.NotEqual(s_container["readinessProbe"]["httpGet"]["path"], s_container["livenessProbe"]["httpGet"]["path"]);

    [Fact]
    public void TheListenersCloseWhenTheProbeHasNoticedAndThePodIsKilledWhenItHasDrained()
    {
        YamlNode readiness = s_container["readinessProbe"];
        TimeSpan delay = TimeSpan.Parse(
            $"{Items(s_container["env"]).Single(static entry => $"{entry["name"]}" == "Ioxide__StopDelay")["value"]}", CultureInfo.InvariantCulture);
        Assert.True(delay.TotalSeconds > Number(readiness["failureThreshold"]) * (Number(readiness["periodSeconds"]) + Number(readiness["timeoutSeconds"])));
        Assert.True(Number(s_pod["spec"]["terminationGracePeriodSeconds"]) > (delay + s_shutdownTimeout).TotalSeconds);
    }

    private static IEnumerable<YamlNode> Items(YamlNode list) => (YamlSequenceNode)list;

    private static int Number(YamlNode node) => int.Parse($"{node}", CultureInfo.InvariantCulture);

    private static Dictionary<string, YamlNode> Read()
    {
        using StreamReader text = File.OpenText(Path.Combine(Repository.Root, "deploy/kubernetes.yaml"));
        YamlStream parts = [];
        parts.Load(text);
        return parts.ToDictionary(static part => $"{part.RootNode["kind"]}", static part => part.RootNode);
    }
}
