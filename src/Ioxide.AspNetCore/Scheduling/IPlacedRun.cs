namespace Ioxide.AspNetCore;

/// <summary>The run of a request whose server resumes it: what it does behind its awaits counts for the code that it began with.</summary>
/// <remarks>Threads: the reactor's.</remarks>
internal interface IPlacedRun
{
    /// <summary>The code has not returned yet. Of nested ones the innermost says so first, and counts.</summary>
    void GoesOn(Placement code);
}
