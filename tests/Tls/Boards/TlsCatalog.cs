using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Cases of tlsfuzzer for servers of TLS 1.2 with ECDHE and AEAD and of TLS 1.3, by the names of its scripts. What is sent is written from the RFCs.
/// A fatal error closes the connection (RFC 8446, section 6.2), and should be told by its alert: another alert or none is a warning.
/// </summary>
internal static partial class TlsCatalog
{
    private static readonly byte[] s_get = Encoding.ASCII.GetBytes("GET /bytes/5 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    private static readonly Lazy<IReadOnlyDictionary<string, TlsCase>> s_cases = new(static () => All().ToDictionary(static @case => @case.Id));

    /// <summary>Every case by its id.</summary>
    internal static IReadOnlyDictionary<string, TlsCase> Cases => s_cases.Value;

    private static IEnumerable<TlsCase> All()
        => [.. Versions(), .. Ciphers(), .. Extensions(), .. Retries(), .. Framing(), .. Flights(), .. Records(), .. Messages()];

    /// <summary>The server must answer by its hello, about which something holds.</summary>
    private static TlsCase Hello(string id, string source, Func<byte[]> make, Func<ServerAnswer, bool>? holds = null)
        => new(id, source, async endPoint =>
        {
            ServerAnswer answer = await ServerAnswer.AskAsync(endPoint, make());
            return !answer.HasHello || answer.IsRetry ? Verdict.Fail($"no hello: {answer}")
                : holds?.Invoke(answer) == false ? Verdict.Fail($"another hello: {answer}")
                : Verdict.Pass($"hello {answer.Negotiated:x4}");
        });

    private static TlsCase Hello(string id, string source, HelloBuilder hello, Func<ServerAnswer, bool>? holds = null)
        => Hello(id, source, () => hello.Records(), holds);

    /// <summary>The server must refuse, and should say one of these alerts.</summary>
    private static TlsCase Refused(string id, string source, Func<byte[]> make, params TlsAlert[] alerts)
        => new(id, source, async endPoint => Refusal(await ServerAnswer.AskAsync(endPoint, make()), alerts));

    private static TlsCase Refused(string id, string source, HelloBuilder hello, params TlsAlert[] alerts)
        => Refused(id, source, () => hello.Records(), alerts);

    private static Verdict Refusal(ServerAnswer answer, TlsAlert[] alerts)
        => answer.HasHello ? Verdict.Fail($"taken: {answer}") : Told(answer.Alert, answer.IsWarning, answer.ToString(), alerts);

    private static Verdict Told(TlsAlert? alert, bool isWarning, string seen, TlsAlert[] alerts)
        => alert is null or TlsAlert.CloseNotify || isWarning ? Verdict.Warn($"no alert: {seen}")
            : alerts.Contains(alert.Value) ? Verdict.Pass($"alert {alert}")
            : Verdict.Warn($"another alert: {seen}");

    /// <summary>Behind a whole handshake: what the client does must not keep the server from answering a request.</summary>
    private static TlsCase Served(string id, string source, SslProtocols protocol, Func<RecordClient, Task> act)
        => new(id, source, endPoint => OnClientAsync(endPoint, protocol, null, [], client => ServedAsync(client, act)));

    /// <summary>Behind a whole handshake: what the client does ends the connection, and should be told by one of these alerts.</summary>
    private static TlsCase Ended(string id, string source, SslProtocols protocol, Func<RecordClient, Task> act, params TlsAlert[] alerts)
        => new(id, source, endPoint => OnClientAsync(endPoint, protocol, null, [], client => EndedAsync(client, act, alerts)));

    /// <summary>The client's second flight is changed: the server must refuse it, and should say one of these alerts.</summary>
    private static TlsCase Spoilt(string id, string source, SslProtocols protocol, Func<byte[], byte[]> reshape, params TlsAlert[] alerts)
        => new(
            id, source,
            endPoint => OnClientAsync(endPoint, protocol, reshape, alerts, client => EndedAsync(client, static _ => Task.CompletedTask, alerts)));

    /// <summary>The client's second flight is changed, as it may be.</summary>
    private static TlsCase Reshaped(string id, string source, SslProtocols protocol, Func<byte[], byte[]> reshape)
        => new(
            id, source,
            endPoint => OnClientAsync(endPoint, protocol, reshape, [], static client => ServedAsync(client, static _ => Task.CompletedTask)));

    private static async Task<Verdict> ServedAsync(RecordClient client, Func<RecordClient, Task> act)
    {
        client.Sealer.MaxDataBytes = ushort.MaxValue;
        await act(client);
        await client.SendDataAsync(s_get);
        (bool isServed, _, _, string seen) = await ReadAsync(client, untilData: true);
        return isServed ? Verdict.Pass("200") : Verdict.Fail(seen);
    }

    private static async Task<Verdict> EndedAsync(RecordClient client, Func<RecordClient, Task> act, TlsAlert[] alerts)
    {
        // What a client may send is what is to be found out.
        client.Sealer.MaxDataBytes = ushort.MaxValue;
        try
        {
            await act(client);

            // A server that takes it all serves this.
            await client.SendDataAsync(s_get);
            client.Socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            // It is over already.
        }

        (bool isServed, TlsAlert? alert, bool isWarning, string seen) = await ReadAsync(client, untilData: false);
        return isServed ? Verdict.Fail($"taken: {seen}") : Told(alert, isWarning, seen, alerts);
    }

    /// <param name="alerts">The handshake may end by one of these, or by none; empty where it must not end.</param>
    private static async Task<Verdict> OnClientAsync(
        IPEndPoint endPoint, SslProtocols protocol, Func<byte[], byte[]>? reshape, TlsAlert[] alerts, Func<RecordClient, Task<Verdict>> play)
    {
        try
        {
            using RecordClient client = await RecordClient.ConnectAsync(
                endPoint, new TlsClientOptions { Protocols = protocol }, reshape: reshape is null ? null : (_, flight) => reshape(flight));
            return await play(client);
        }
        catch (TlsException exception)
        {
            // Inside the handshake, where the client's library reads the answer.
            return alerts.Length > 0 && exception is { Failure: TlsFailure.PeerAlert, Alert: { } alert }
                ? Told(alert, isWarning: false, $"alert {alert}", alerts)
                : Verdict.Fail($"no handshake: {exception.Failure}");
        }
        catch (Exception exception) when (exception is EndOfStreamException or SocketException)
        {
            const string seen = "an end inside the handshake";
            return alerts.Length > 0 ? Verdict.Warn($"no alert: {seen}") : Verdict.Fail(seen);
        }
    }

    /// <summary>Reads up to the first data, an alert that ends all, or the end.</summary>
    private static async Task<(bool IsServed, TlsAlert? Alert, bool IsWarning, string Seen)> ReadAsync(RecordClient client, bool untilData)
    {
        bool isServed = false;
        List<string> seen = [];
        try
        {
            while (true)
            {
                (RecordType type, byte[] content) = await client.ReadAsync();
                switch (type)
                {
                    case RecordType.ApplicationData when content.Length > 0:
                        isServed = Encoding.ASCII.GetString(content).StartsWith("HTTP/1.1 200", StringComparison.Ordinal) || isServed;
                        seen.Add("data");
                        if (untilData)
                        {
                            return (isServed, null, false, string.Join(", ", seen));
                        }

                        break;
                    case RecordType.Alert:
                        seen.Add($"alert {(TlsAlert)content[1]}");
                        bool isWarning = client.Info.Protocol == SslProtocols.Tls12 && content[0] == 1;
                        if (!isWarning || content[1] == (byte)TlsAlert.CloseNotify || untilData)
                        {
                            return (isServed, (TlsAlert)content[1], isWarning, string.Join(", ", seen));
                        }

                        break;
                    case RecordType.Handshake when content[0] == KeyUpdate:
                        client.Opener.Update();
                        break;
                }
            }
        }
        catch (Exception exception) when (exception is EndOfStreamException or SocketException)
        {
            seen.Add(exception is SocketException ? "RST" : "FIN");
            return (isServed, null, false, string.Join(", ", seen));
        }
    }
}
