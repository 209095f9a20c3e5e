namespace Ioxide.AspNetCore;

/// <summary>Runs the endpoint on the thread pool always. It may block there without delaying a reactor.</summary>
/// <remarks>On an action it overrides the attribute of the controller. It applies with every <see cref="ApplicationScheduling"/>.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method | AttributeTargets.Delegate)]
public sealed class RunOnThreadPoolAttribute : Attribute, IRunsOn
{
    bool IRunsOn.IsReactor => false;
}
