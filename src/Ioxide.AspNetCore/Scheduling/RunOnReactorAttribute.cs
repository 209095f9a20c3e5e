namespace Ioxide.AspNetCore;

/// <summary>
/// The end point runs on its connection's reactor from its first request on. It is not tried on the thread pool before, and a stall does
/// not move it there.
/// </summary>
/// <remarks>For code that is known never to block. On an action it overrides what the controller says.</remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method | AttributeTargets.Delegate)]
public sealed class RunOnReactorAttribute : Attribute, IRunsOn
{
    bool IRunsOn.IsReactor => true;
}
