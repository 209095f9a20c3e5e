using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ioxide.Http2.Tests;

/// <summary>Which time counts for a client that takes a connection's last bytes, by a clock that the test reads.</summary>
public class DrainWatchTests
{
    private const int Interval = DataRates.IntervalMs;

    // Six looks: one until the next look, and five seconds of grace.
    private const int Looks = 6;

    private static readonly MinDataRate s_rate = new(bytesPerSecond: 1000, gracePeriod: 5.Seconds());

    private long _now = 1_000_000;
    private bool _hasUnsent = true;

    [Fact]
    public void AClientThatTakesNothingIsEnded()
    {
        EndedConnection connection = new();
        DrainWatch watch = Begin(connection);
        LookAgain(watch, Looks);
        Assert.Equal(0, connection.Aborts);

        LookAgain(watch, 3);
        Assert.Equal(1, connection.Aborts);
    }

    /// <summary>The process was paused, or a handler held the reactor: nothing could be sent meanwhile.</summary>
    [Fact]
    public void APauseOfTheServerDoesNotCount()
    {
        EndedConnection connection = new();
        DrainWatch watch = Begin(connection);
        _now += 100 * Interval;
        LookAgain(watch, Looks - 1);
        Assert.Equal(0, connection.Aborts);

        LookAgain(watch, 2);
        Assert.Equal(1, connection.Aborts);
    }

    /// <summary>What it has not read yet is the kernel's to send, and the transport limits how long the client stays.</summary>
    [Fact]
    public void AClientForWhichNothingWaitsIsLeftAlone()
    {
        EndedConnection connection = new();
        DrainWatch watch = Begin(connection);
        _hasUnsent = false;
        LookAgain(watch, 100);
        Assert.Equal(0, connection.Aborts);
    }

    /// <summary>A stream in front of the ring may bring its last bytes late, as TLS brings its end.</summary>
    [Fact]
    public void WhatComesLateHasItsTime()
    {
        EndedConnection connection = new();
        DrainWatch watch = Begin(connection);
        _hasUnsent = false;
        LookAgain(watch, 100);
        _hasUnsent = true;
        LookAgain(watch, Looks);
        Assert.Equal(0, connection.Aborts);

        LookAgain(watch, 1);
        Assert.Equal(1, connection.Aborts);
    }

    private DrainWatch Begin(ConnectionContext connection)
    {
        DataRates rates = new(_now);
        rates.Sending(s_rate, 1);
        return new DrainWatch(connection, () => _hasUnsent, s_rate, rates, NullLogger.Instance);
    }

    private void LookAgain(DrainWatch watch, int times)
    {
        for (int time = 0; time < times; time++)
        {
            _now += Interval;
            watch.Look(_now);
        }
    }

    private sealed class EndedConnection : DefaultConnectionContext
    {
        internal int Aborts { get; private set; }

        public override void Abort(ConnectionAbortedException abortReason)
        {
            Assert.Contains("MinResponseDataRate", abortReason.Message, StringComparison.Ordinal);
            Aborts++;
        }
    }
}
