namespace Ioxide;

/// <summary>Where the time of a turn in progress went. Waits for a processor, collections and compilation are not the application's.</summary>
/// <param name="Started">When the turn began, in ticks of the clock; 0 while the reactor waits for completions.</param>
/// <param name="Lasted">How long ago that was: the sum of the others.</param>
/// <param name="Running">On a processor, except for compilation and collections.</param>
/// <param name="Blocked">Asleep in a call that code on the reactor made.</param>
/// <param name="Waiting">Ready to run, without a processor.</param>
/// <param name="Other">Compiling methods, or stopped by the garbage collector.</param>
internal readonly record struct TurnTimes(
    long Started, TimeSpan Lasted, TimeSpan Running, TimeSpan Blocked, TimeSpan Waiting, TimeSpan Other)
{
    /// <summary>How long the code that runs in the turn held the reactor up: what stalls are measured by.</summary>
    internal TimeSpan Held => Running + Blocked;

    /// <summary>The turn is long, and mostly because the thread got no processor.</summary>
    internal bool IsShortOfProcessor(TimeSpan threshold) => Lasted >= threshold && Held < threshold && Waiting >= Lasted / 2;
}
