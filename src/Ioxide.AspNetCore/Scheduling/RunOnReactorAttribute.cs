namespace Ioxide.AspNetCore;

/// <summary>
/// Runs the endpoint on its connection's reactor from its first request on. It is not tried on the thread pool first, and a stall does not
/// move it there.
/// </summary>
/// <remarks>Use it for code that never blocks. On an action it overrides the attribute of the controller.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method | AttributeTargets.Delegate)]
public sealed class RunOnReactorAttribute : Attribute, IRunsOn
{
    bool IRunsOn.IsReactor => true;
}
