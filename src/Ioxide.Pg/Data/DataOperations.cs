namespace Ioxide.Pg.Data;

/// <summary>The operations of a server connection that no command uses now.</summary>
/// <remarks>
/// They outlive the session, as ADO.NET code opens a connection for each command. Two, because one may still be read to its end when
/// the next begins. Threads: any.
/// </remarks>
internal sealed class DataOperations
{
    private DataOperation? _first;
    private DataOperation? _second;

    internal DataOperation Rent()
        => Interlocked.Exchange(ref _first, null) ?? Interlocked.Exchange(ref _second, null) ?? new DataOperation(this);

    internal void Return(DataOperation operation)
    {
        if (Interlocked.CompareExchange(ref _first, operation, null) is not null)
        {
            Interlocked.CompareExchange(ref _second, operation, null);
        }
    }
}
