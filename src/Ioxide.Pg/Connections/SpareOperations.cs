namespace Ioxide.Pg;

/// <summary>Operations of the ADO.NET facade for reuse, kept with their connection.</summary>
/// <remarks>
/// They outlive the session, as ADO.NET code opens a connection for each command. Two, because one may still be read to its end when
/// the next begins. Threads: any.
/// </remarks>
internal sealed class SpareOperations
{
    private Operation? _first;
    private Operation? _second;

    /// <summary>One that was returned, or null.</summary>
    internal Operation? TryRent() => Interlocked.Exchange(ref _first, null) ?? Interlocked.Exchange(ref _second, null);

    internal void Return(Operation operation)
    {
        if (Interlocked.CompareExchange(ref _first, operation, null) is not null)
        {
            Interlocked.CompareExchange(ref _second, operation, null);
        }
    }
}
