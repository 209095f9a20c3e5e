namespace Ioxide.Compare.Measures;

/// <summary>Measures every side of a session, in turn and as often as there are rounds.</summary>
internal interface IMeasure
{
    /// <exception cref="RefusedException">A side answered errors, or is not what was asked for.</exception>
    Task RunAsync(CancellationToken cancellation);
}
