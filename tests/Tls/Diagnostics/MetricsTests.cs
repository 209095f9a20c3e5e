using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Ioxide.Tls.Tests;

/// <summary>The instruments, read by a listener as an exporter would.</summary>
public sealed class MetricsTests : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<(string Name, double Value, string Tag)> _seen = new();
    private readonly List<Histogram<double>> _durations = [];

    public MetricsTests()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == TlsMetrics.MeterName)
            {
                _durations.AddRange(instrument is Histogram<double> durations ? [durations] : []);
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Take(instrument, value, tags));
        _listener.Start();

        // Instruments exist from the first use of TLS on.
        _ = TlsMetrics.Shared;
    }

    /// <summary>Without advice an exporter has limits for milliseconds: the first one, 5, is above all handshakes. These are Kestrel's.</summary>
    [Fact]
    public void DurationsAdviseLimitsOfSeconds()
        => Assert.Equal(
            [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
            Assert.Single(_durations).Advice?.HistogramBucketBoundaries ?? []);

    [Fact]
    public async Task HandshakesAreTimedAndResumedOnesCounted()
    {
        string session = Path.GetTempFileName();
        try
        {
            await using ReactorFixture fixture = ReactorFixture.Start();
            await using TlsEcho echo = await TlsEcho.StartAsync(fixture);
            await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-sess_out", session);
            await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3", "-sess_in", session);
            await echo.NextEndAsync();
            await echo.NextEndAsync();
        }
        finally
        {
            File.Delete(session);
        }

        Assert.Equal(["1.3", "1.3"], Tags("ioxide.tls.handshake.duration"));
        Assert.All(_seen, static seen => Assert.True(seen.Value > 0));
        Assert.Single(Tags("ioxide.tls.handshakes.resumed"));
        Assert.Empty(Tags("ioxide.tls.handshake.failures"));
    }

    [Fact]
    public async Task ACertificateTellsHowLongItLasts()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        await OpenSsl.ClientAsync(echo.EndPoint, "-tls1_3");
        await echo.NextEndAsync();
        _listener.RecordObservableInstruments();

        (_, double seconds, string subject) = Assert.Single(
            _seen, static seen => seen is { Name: "ioxide.tls.certificate.remaining_time", Tag: "CN=localhost" });
        Assert.Equal("CN=localhost", subject);
        Assert.InRange(seconds, 60, TimeSpan.FromDays(366 * 20).TotalSeconds);
    }

    [Fact]
    public void CertificatesWithoutASubjectAreToldByTheirFirstName()
    {
        using TlsServer one = Serve("", "one.metrics.test", endDays: 10);
        using TlsServer other = Serve("", "other.metrics.test", endDays: 20);

        Assert.Equal(10, DaysLeft("one.metrics.test"));
        Assert.Equal(20, DaysLeft("other.metrics.test"));
    }

    [Fact]
    public void TheLastCertificateOfASubjectIsTold()
    {
        using TlsServer one = Serve("CN=renewed.metrics.test", "renewed.metrics.test", endDays: 10);
        using TlsServer other = Serve("CN=renewed.metrics.test", "renewed.metrics.test", endDays: 20);

        Assert.Equal(20, DaysLeft("CN=renewed.metrics.test"));
    }

    /// <summary>It has ended lately, long ago, its server is gone, or OpenSSL did not take it.</summary>
    [Fact]
    public void ACertificateThatDoesNotServeIsNotTold()
    {
        using TlsServer ended = Serve("CN=ended.metrics.test", "ended.metrics.test", endDays: 0);
        using TlsServer longAgo = Serve("CN=long.metrics.test", "long.metrics.test", endDays: -2);
        Serve("CN=gone.metrics.test", "gone.metrics.test", endDays: 10).Dispose();
        Assert.Throws<TlsException>(() => Serve("CN=weak.metrics.test", "weak.metrics.test", endDays: 10, RSA.Create(512)));

        Assert.Equal(0, DaysLeft("CN=ended.metrics.test"));
        Assert.Null(DaysLeft("CN=long.metrics.test"));
        Assert.Null(DaysLeft("CN=gone.metrics.test"));
        Assert.Null(DaysLeft("CN=weak.metrics.test"));
    }

    [Fact]
    public void BoardAndAlertsAskOnlyForWhatIsMeasured()
    {
        string[] asked = GrafanaBoard.MetricsOf("ioxide_tls_");

        Assert.True(asked.Length >= 5, $"{asked.Length} metrics");
        Assert.Empty(asked.Except(GrafanaBoard.NamesOf(TlsMetrics.MeterName)));
    }

    [Fact]
    public async Task FailuresAreCountedByReason()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using (Socket socket = await RawSocket.ConnectAsync(echo.EndPoint))
        {
            await socket.SendAsync("GET / HTTP/1.1\r\n\r\n"u8.ToArray()).Within(60.Seconds());
            await echo.NextEndAsync();
        }

        using (Socket socket = await RawSocket.ConnectAsync(echo.EndPoint))
        {
            socket.Shutdown(SocketShutdown.Send);
            await echo.NextEndAsync();
        }

        Assert.Equal([nameof(TlsFailure.Protocol), nameof(TlsFailure.Truncated)], Tags("ioxide.tls.handshake.failures"));
        Assert.Equal([nameof(TlsFailure.Protocol), nameof(TlsFailure.Truncated)], Tags("ioxide.tls.handshake.duration"));
        Assert.Empty(Tags("ioxide.tls.handshakes.resumed"));
    }

    [Fact]
    public async Task WhatEndsAHalfHandshakeIsCounted()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        using (HalfHandshakes half = new())
        {
            await using TlsEcho small = await TlsEcho.StartAsync(fixture, TlsEcho.Options(static options => options.MaxHandshakesPerReactor = 1));
            for (int index = 0; index <= HandshakeLimit.AnsweredUnits; index++)
            {
                await half.OpenAsync(small, [0x16]);
            }

            await small.NextEndAsync();
            half.Last.Socket.Reset();
            await small.NextEndAsync();
            Assert.Equal([nameof(TlsFailure.Displaced), nameof(TlsFailure.Truncated)], Tags("ioxide.tls.handshake.failures"));
        }

        _seen.Clear();
        await using TlsEcho brief = await TlsEcho.StartAsync(
            fixture, TlsEcho.Options(static options => options.HandshakeTimeout = 100.Milliseconds()));
        using Socket socket = await RawSocket.ConnectAsync(brief.EndPoint);
        await brief.NextEndAsync();
        Assert.Contains(nameof(TlsFailure.Timeout), Tags("ioxide.tls.handshake.failures"));
    }

    [Fact]
    public async Task SessionsAreCountedWhileTheyAreOpen()
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        double before = CountOpen("user");
        using (Socket socket = await RawSocket.ConnectAsync(echo.EndPoint))
        {
            await using var client = new SslStream(
                new NetworkStream(socket),
                leaveInnerStreamOpen: false,
                static (_, certificate, _, _) => TestCertificates.Ecdsa.Equals(certificate));
            await client.AuthenticateAsClientAsync("localhost").Within(60.Seconds());
            await client.WriteAsync(new byte[1]).Within(60.Seconds());
            Assert.Equal(1, await client.ReadAsync(new byte[1]).Within(60.Seconds()));

            Assert.Equal(before + 1, CountOpen("user"));
            Assert.Equal(0, CountOpen("kernel"));
        }

        await echo.NextEndAsync();
        Assert.Equal(before, CountOpen("user"));
    }

    public void Dispose() => _listener.Dispose();

    private static TlsServer Serve(string subject, string name, int endDays, AsymmetricAlgorithm? key = null)
        => new(new SslServerAuthenticationOptions
        {
            ServerCertificate = CertificateMaker.Make(
                subject, TestCertificates.Root, CertificateMaker.ServerUsage, names: [name], key: key, endDays: endDays),
        });

    /// <summary>Null where the certificate is not told.</summary>
    private double? DaysLeft(string subject)
    {
        _seen.Clear();
        _listener.RecordObservableInstruments();
        double[] seconds =
        [
            .. _seen.Where(seen => seen.Name == "ioxide.tls.certificate.remaining_time" && seen.Tag == subject).Select(static seen => seen.Value),
        ];
        return seconds.Length == 0 ? null : Math.Round(Assert.Single(seconds) / TimeSpan.FromDays(1).TotalSeconds);
    }

    private double CountOpen(string encryption)
    {
        _seen.Clear();
        _listener.RecordObservableInstruments();
        return _seen.Single(seen => seen.Name == "ioxide.tls.session.count" && seen.Tag == encryption).Value;
    }

    private void Take(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        => _seen.Enqueue((instrument.Name, value, tags.IsEmpty ? "" : (string)tags[0].Value!));

    private IEnumerable<string> Tags(string name) => _seen.Where(seen => seen.Name == name).Select(static seen => seen.Tag);
}
