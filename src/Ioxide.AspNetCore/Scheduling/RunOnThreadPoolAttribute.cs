namespace Ioxide.AspNetCore;

/// <summary>The end point always runs on the thread pool, where it may block: no reactor waits for it.</summary>
/// <remarks>On an action it overrides what the controller says. It holds with every <see cref="ApplicationScheduling"/>.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method | AttributeTargets.Delegate)]
public sealed class RunOnThreadPoolAttribute : Attribute, IRunsOn
{
    bool IRunsOn.IsReactor => false;
}
