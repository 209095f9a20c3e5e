namespace Ioxide.Pg;

/// <summary>Ends a transaction that failed at its first command, and begins it again for the command that is sent after it.</summary>
internal sealed class BeginAgainOperation : Operation
{
    private readonly byte[] _sql;
    private readonly bool _begins;

    /// <param name="begin">The text of the BEGIN; null where the command brings its own.</param>
    /// <param name="timeout">The time limit of the server.</param>
    internal BeginAgainOperation(byte[]? begin, TimeSpan timeout)
    {
        _begins = begin is not null;
        _sql = [.. "ROLLBACK;"u8, .. begin ?? []];
        Timeout = timeout;
    }

    internal override bool CanRepeat => false;

    internal override FlightEnd Write(ServerConnection connection)
    {
        MessageWriter.WriteQuery(connection.Output, _sql);
        return FlightEnd.Query;
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (Error is null && connection.TransactionStatus != (_begins ? (byte)'T' : (byte)'I'))
        {
            Fail(new PgConnectionException("The transaction could not be begun anew."));
        }

        return true;
    }

    internal override void Complete()
    {
        if (Error is { } error)
        {
            // The next command would run outside a transaction.
            Connection!.Break(error);
        }
    }

    internal override void Release() => Stage = OperationStage.Ended;
}
