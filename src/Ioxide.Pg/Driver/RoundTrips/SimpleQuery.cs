using System.Text;

namespace Ioxide.Pg;

/// <summary>One message of the simple query protocol, run once, with one result at its end.</summary>
internal abstract class SimpleQuery<TResult>(byte[] sql) : AwaitedRoundTrip
{
    private readonly ReactorAwaitable<TResult> _source = new();
    private bool _isWritten;

    internal override bool CanRepeat => false;

    internal override SessionEffect Effect { get; } = SessionScan.Of(sql);

    /// <summary>It went to the server. Threads: the caller's, once it has its answer.</summary>
    internal override bool IsWritten => _isWritten;

    /// <summary>Runs it. Threads: any.</summary>
    internal ValueTask<TResult> RunAsync(CommandTarget target, CancellationToken cancellationToken = default)
    {
        _source.StartedOffReactor = !target.Reactor.IsCurrent;
        ValueTask<TResult> result = _source.Task;
        Submit(target, target.DataSource.Options.CommandTimeout, cancellationToken);
        return result;
    }

    internal override FlightEnd Write(ServerConnection connection)
    {
        _isWritten = true;
        MessageWriter.WriteQuery(connection.Output, sql);
        return FlightEnd.Query;
    }

    /// <summary>The result if the server reported no error.</summary>
    private protected abstract TResult Result { get; }

    /// <summary>Why there is no result although the server reported no error.</summary>
    private protected virtual Exception? Misuse => null;

    private protected sealed override void SetResult()
    {
        if ((Error ?? Misuse) is { } error)
        {
            _source.SetException(Target!.Reactor, error);
        }
        else
        {
            _source.SetResult(Target!.Reactor, Result);
        }
    }
}

/// <summary>The simple query protocol: any number of statements in one message, without parameters, results as text.</summary>
internal sealed class ScriptRoundTrip(byte[] sql) : SimpleQuery<PgScriptResult>(sql)
{
    private readonly List<string?[]> _rows = [];
    private ResultColumns? _columns;
    private readonly byte[] _sql = sql;
    private PgTag _tag;
    private int _commands;
    private bool _endsTransaction;

    internal override bool EndsTransaction => _endsTransaction;

    internal override byte[]? BeginText => _commands == 1 && _tag.IsBegin ? _sql : null;

    private protected override string Name => "SCRIPT";

    private protected override PgScriptResult Result => new(_tag, _rows);

    /// <summary>COMMIT or ROLLBACK.</summary>
    internal static ScriptRoundTrip EndOfTransaction(string sql) => new(WireText.Encoding.GetBytes(sql)) { _endsTransaction = true };

    internal override void Described(ReadOnlySpan<byte> body)
    {
        _columns = ResultColumns.Read(body, isTextOnly: true);
        _rows.Clear();
    }

    internal override void RowReceived(ReadOnlySpan<byte> body, RowLayout layout)
    {
        ResultColumns columns = _columns ?? throw PgProtocolException.RowWithoutDescription();
        layout.Read(body, columns.Count);
        if (IsAbandoned)
        {
            return;
        }

        PgRow row = new(body, layout.Offsets, columns);
        string?[] values = new string?[columns.Count];
        for (int i = 0; i < values.Length; i++)
        {
            values[i] = row.IsNull(i) ? null : Encoding.UTF8.GetString(row.GetBytes(i));
        }

        _rows.Add(values);
    }

    internal override void CommandCompleted(PgTag tag)
    {
        _tag = tag;
        _commands++;
    }

    internal override bool TryEnd(ServerConnection connection)
    {
        if (_commands == 0 && !IsAbandoned)
        {
            // Unless it failed before. A missing answer is not a success: the text may be a COMMIT.
            Fail(new PgProtocolException("The server did not say what became of the script."));
        }

        return true;
    }

    // No Sync follows a simple query, so the protocol is in step after the refusal.
    internal override void CopyInStarted(ReadOnlySpan<byte> body) => Connection!.RefuseCopyIn();
}
