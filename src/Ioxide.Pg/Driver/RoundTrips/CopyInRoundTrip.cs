namespace Ioxide.Pg;

/// <summary>COPY ... FROM STDIN: the command, then the caller's data until it completes or fails.</summary>
/// <remarks>
/// It uses the simple query protocol: after an error the server drops further data, and is ready at once.
/// Source: PostgreSQL manual, 55.2.6 COPY Operations.
/// </remarks>
internal sealed class CopyInRoundTrip(byte[] sql) : AwaitedRoundTrip
{
    private readonly TaskCompletionSource<bool> _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ReactorAwaitable<PgTag> _source = new() { StartedOffReactor = true };
    private PgTag _tag;
    private CopyStage _stage;

    private enum CopyStage
    {
        /// <summary>The server has not yet accepted the command.</summary>
        Starting,

        /// <summary>The server waits for data.</summary>
        Open,

        /// <summary>CopyDone was sent.</summary>
        Complete,

        /// <summary>CopyFail was sent.</summary>
        GivenUp,
    }

    internal override bool CanRepeat => false;

    internal override bool MayBeStruck => _stage != CopyStage.GivenUp;

    internal override bool EndsWithSync => false;

    internal override bool EndsWithSession => true;

    internal override SessionEffect Effect => SessionEffect.Unknown;

    /// <summary>Completes when the server takes data; true: in binary form.</summary>
    internal Task<bool> Started => _started.Task;

    /// <summary>Any message that is sent after it now would be taken for data.</summary>
    internal bool IsRunning => Stage is RoundTripStage.Waiting or RoundTripStage.Sent && !IsAbandoned && _stage < CopyStage.Complete && Error is null;

    private bool TakesData => _stage == CopyStage.Open && Stage == RoundTripStage.Sent && Error is null;

    internal ValueTask<PgTag> RunAsync(CommandTarget target, CancellationToken cancellationToken)
    {
        ValueTask<PgTag> result = _source.Task;

        // No time limit: the caller supplies the data and decides how long it takes.
        Submit(target, TimeSpan.Zero, cancellationToken);
        return result;
    }

    internal override FlightEnd Write(ServerConnection connection)
    {
        MessageWriter.WriteQuery(connection.Output, sql);
        return FlightEnd.Data;
    }

    internal override void CopyInStarted(ReadOnlySpan<byte> body)
    {
        if (_stage != CopyStage.Starting)
        {
            Fail(new InvalidOperationException(
                $"The text has more than one COPY ... FROM STDIN. Give each to {nameof(PgSession.CopyInAsync)} of its own."));
            Connection!.RefuseCopyIn();
            return;
        }

        _stage = CopyStage.Open;
        if (IsAbandoned)
        {
            GiveUp();
        }
        else
        {
            _started.TrySetResult(body is [1, ..]);
        }
    }

    /// <summary>A server that waits for data handles no cancel request before the data ends.</summary>
    internal override bool TryEndByItself()
    {
        if (_stage != CopyStage.Open)
        {
            return _stage == CopyStage.GivenUp;
        }

        GiveUp();
        return true;
    }

    internal override void CommandCompleted(PgTag tag) => _tag = tag;

    /// <summary>Sends data and waits while the transport is full. Threads: the reactor's.</summary>
    internal ValueTask SendAsync(ReadOnlySpan<byte> data)
    {
        if (!TakesData)
        {
            // The server has failed it already, or it was abandoned; the result has the error.
            return default;
        }

        MessageWriter.WriteCopyData(Connection!.Output, data);
        return Connection.Flush.RunAsync();
    }

    /// <summary>Signals the end of the data. Threads: the reactor's.</summary>
    internal void CompleteData()
    {
        if (TakesData)
        {
            _stage = CopyStage.Complete;
            MessageWriter.WriteCopyDone(Connection!.Output);
            Connection.Pipeline.UnblockFollowers(this);
        }
    }

    /// <summary>Ends it without keeping any row; the result completes when the server has ended it. Threads: the reactor's.</summary>
    internal void GiveUpData()
    {
        if (TakesData)
        {
            Timeout = Target!.DataSource.Options.CommandTimeout;
            GiveUp();
            Connection!.Pipeline.RestartClock(this);
        }
    }

    /// <summary>Its caller has stopped waiting. Threads: the reactor's.</summary>
    internal void Cancel(Exception reason)
    {
        if (!HasCompleted)
        {
            Target!.Cancel(this, reason);
        }
    }

    private void GiveUp()
    {
        _stage = CopyStage.GivenUp;
        if (Stage == RoundTripStage.Sent && !Connection!.IsBroken)
        {
            MessageWriter.WriteCopyFail(Connection.Output, "The client gave the copy up."u8);
            Connection.Pipeline.UnblockFollowers(this);
        }
    }

    private protected override string Name => "COPY";

    private protected override void SetResult()
    {
        Exception? error = Error
            ?? (_started.Task.IsCompleted ? null : new InvalidOperationException("The command is no COPY ... FROM STDIN."));
        if (error is null)
        {
            _source.SetResult(Target!.Reactor, _tag);
            return;
        }

        _started.TrySetException(error);
        _ = _started.Task.Exception;
        _source.SetException(Target!.Reactor, error);
    }
}
