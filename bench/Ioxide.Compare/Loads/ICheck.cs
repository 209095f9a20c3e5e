namespace Ioxide.Compare.Loads;

/// <summary>Something that must be right about a server before it is loaded.</summary>
internal interface ICheck
{
    /// <exception cref="RefusedException">It is not.</exception>
    Task AskAsync(LoadTarget target, CancellationToken cancellation);
}
