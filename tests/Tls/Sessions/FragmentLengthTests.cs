using System.Buffers;
using System.Globalization;
using System.Net;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Authentication;
using System.Text;
using Microsoft.AspNetCore.Hosting;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Clients that take short records only (max_fragment_length; RFC 6066, section 4): libssl agrees, so every record keeps it, both ways.
/// With <c>openssl s_client</c>, which refuses longer ones, and with a client that measures each.
/// </summary>
public partial class FragmentLengthTests
{
    private const ushort RecordSizeLimit = 28;

    private static readonly nint s_fiveHundred = RuntimeHelpers.AllocateTypeAssociatedMemory(typeof(FragmentLengthTests), 2);

    private static int s_answers;

    public static TheoryData<SslProtocols, int> Limits => new MatrixTheoryData<SslProtocols, int>(
        [SslProtocols.Tls12, SslProtocols.Tls13], [512, 1024, 2048, 4096]);

    [Theory, MemberData(nameof(Limits))]
    public async Task OpenSslGetsAndSendsBodiesByteForByte(SslProtocols protocol, int limit)
    {
        await using HttpsServer server = await HttpsServer.StartAsync(static listen => listen.UseIoxideTls(TestCertificates.Ecdsa));
        string[] arguments =
        [
            protocol == SslProtocols.Tls12 ? "-tls1_2" : "-tls1_3", "-maxfraglen", limit.ToString(CultureInfo.InvariantCulture),
        ];
        foreach (int lengthBytes in (int[])[0, 1, limit - 1, limit, limit + 1, 200_000])
        {
            byte[] body = Payload.Of(lengthBytes);
            byte[] get = Head($"GET /bytes/{lengthBytes}");
            AssertBody(body, await OpenSsl.TransferAsync(server.EndPoint, get, arguments));
            byte[] post = [.. Head($"POST /echo", lengthBytes), .. body];
            AssertBody(body, await OpenSsl.TransferAsync(server.EndPoint, post, arguments));
        }
    }

    [Theory, MemberData(nameof(Limits))]
    public async Task NoRecordIsLonger(SslProtocols protocol, int limit)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await ConnectAsync(echo.EndPoint, protocol, limit);
        byte[] data = Payload.Of((3 * limit) + 1);
        IEnumerable<byte[]> records = data.Chunk(limit).Select(part => client.Seal(RecordType.ApplicationData, part));
        await client.SendAsync([.. records.SelectMany(static record => record)]);

        List<byte> received = [];
        int longest = 0;
        while (received.Count < data.Length)
        {
            // The client's own opener has the limit too.
            (RecordType type, byte[] content) = await client.ReadAsync();
            if (type == RecordType.ApplicationData)
            {
                received.AddRange(content);
                longest = Math.Max(longest, content.Length);
            }
        }

        Payload.AssertSame(data, [.. received]);
        Assert.InRange(longest, 1, limit);
    }

    [Theory, MemberData(nameof(Limits))]
    public async Task ALongerRecordOfTheClientIsFatal(SslProtocols protocol, int limit)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        using RecordClient client = await ConnectAsync(echo.EndPoint, protocol, limit);
        await client.SendDataAsync(Payload.Of(limit));
        Payload.AssertSame(Payload.Of(limit), await client.ReadDataAsync(limit));
        client.Sealer.MaxDataBytes = RecordHeader.MaxPlaintext;
        await client.SendDataAsync(Payload.Of(limit + 1));
        Assert.Equal(TlsAlert.RecordOverflow, await client.ReadAlertAsync());
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal((TlsFailure.Protocol, limit), (end.Failure, (int)end.Echoed));
    }

    /// <summary>The kernel would send records of 16 KiB, so it is not asked, also where it agrees to everything.</summary>
    [Theory]
    [InlineData(0, true)]
    [InlineData(4096, false)]
    public async Task TheKernelIsLeftOutWhereRecordsAreShort(int limit, bool mayUseKernel)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(static options => options.PlayedKernel = new AgreeingKernel());
        using TlsServer server = TlsEcho.Options(static options => options.Ssl.AllowTlsResume = false).CreateServer();
        TaskCompletionSource<bool> answer = Waits.Signal<bool>();
        RingListener listener = await fixture.ListenAsync(async connection =>
        {
            try
            {
                await using TlsSession session = await server.AuthenticateAsync(connection);
                answer.SetResult(session.Output.MayUseKernel);
                if (!mayUseKernel)
                {
                    await connection.Sender.WhenIdleAsync();
                    session.Output.Append(Payload.Of(100_000));
                    await session.Output.FlushAsync();
                }
            }
            catch (Exception exception)
            {
                answer.TrySetException(exception);
            }
        });
        using RecordClient client = await ConnectAsync(listener.EndPoint, SslProtocols.Tls13, limit);
        Assert.Equal(mayUseKernel, await answer.Task.Within(Patience.Limit));
        if (!mayUseKernel)
        {
            Payload.AssertSame(Payload.Of(100_000), await client.ReadDataAsync(100_000));
        }

        await listener.UnbindAsync().Within(Patience.Limit);
    }

    [Fact]
    public async Task WhereTheKernelIsRequiredTheHandshakeFailsAndSaysWhy()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(static options => options.PlayedKernel = new AgreeingKernel());
        await using TlsEcho echo = await TlsEcho.StartAsync(fixture, TlsEcho.Options(static options =>
        {
            options.KernelOffload = TlsKernelOffload.Require;
            options.AskKernel = static _ => new KernelTlsAnswer(true, 0);
        }));
        using RecordClient client = await ConnectAsync(echo.EndPoint, SslProtocols.Tls13, 512);
        TlsEnd end = await echo.NextEndAsync();
        Assert.Equal(TlsFailure.Handshake, end.Failure);
        Assert.Contains("max_fragment_length", end.Error!.Message, StringComparison.Ordinal);
        Assert.Equal(TlsAlert.InternalError, await client.ReadAlertAsync());
    }

    /// <summary>
    /// A libssl that began to answer it (RFC 8449) would bind the record layer to a limit that nobody tells it. OpenSSL takes a client's
    /// extension of that number only where it has none of its own.
    /// </summary>
    [Theory, AllValues]
    public async Task RecordSizeLimitIsNotAgreedTo(SslProtocols protocol)
    {
        await using TlsEcho echo = await TlsEcho.StartAsync();
        int before = Volatile.Read(ref s_answers);
        using RecordClient client = await RecordClient.ConnectAsync(
            echo.EndPoint, new TlsClientOptions { Protocols = protocol }, configure: OfferRecordSizeLimit);
        Assert.Equal(before, Volatile.Read(ref s_answers));
        await client.SendDataAsync(Payload.Of(RecordHeader.MaxPlaintext));
        Payload.AssertSame(Payload.Of(RecordHeader.MaxPlaintext), await client.ReadDataAsync(RecordHeader.MaxPlaintext));
    }

    private static Task<RecordClient> ConnectAsync(EndPoint endPoint, SslProtocols protocol, int limit)
        => RecordClient.ConnectAsync(
            endPoint, new TlsClientOptions { Protocols = protocol },
            configure: context => Assert.Equal(1, SetMaxFragment(context, (byte)(limit == 0 ? 0 : int.Log2(limit / 256)))));

    private static byte[] Head(string request, int? bodyBytes = null)
    {
        string length = bodyBytes is { } count ? string.Create(CultureInfo.InvariantCulture, $"Content-Length: {count}\r\n") : "";
        return Encoding.ASCII.GetBytes($"{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{length}\r\n");
    }

    private static void AssertBody(byte[] expected, byte[] response)
    {
        int headBytes = response.AsSpan().IndexOf("\r\n\r\n"u8) + 4;
        Assert.True(response.AsSpan().StartsWith("HTTP/1.1 200"u8), Encoding.Latin1.GetString(response.AsSpan(0, Math.Min(100, response.Length))));
        Payload.AssertSame(expected, response[headBytes..]);
    }

    private static unsafe void OfferRecordSizeLimit(nint context)
    {
        const uint Hellos = 0x80 | 0x100 | 0x400;
        *(ushort*)s_fiveHundred = BitConverter.IsLittleEndian ? (ushort)0x0002 : (ushort)0x0200;
        Assert.Equal(1, AddExtension(context, RecordSizeLimit, Hellos, &WriteExtension, null, 0, &ReadExtension, 0));
    }

    [UnmanagedCallersOnly]
    private static unsafe int WriteExtension(
        nint ssl, uint type, uint context, nint* data, nuint* dataBytes, nint certificate, nuint index, int* alert, nint argument)
    {
        *data = s_fiveHundred;
        *dataBytes = 2;
        return 1;
    }

    [UnmanagedCallersOnly]
    private static unsafe int ReadExtension(
        nint ssl, uint type, uint context, byte* data, nuint dataBytes, nint certificate, nuint index, int* alert, nint argument)
    {
        Interlocked.Increment(ref s_answers);
        return 1;
    }

    [LibraryImport("libssl.so.3", EntryPoint = "SSL_CTX_set_tlsext_max_fragment_length")]
    private static partial int SetMaxFragment(nint context, byte code);

    [LibraryImport("libssl.so.3", EntryPoint = "SSL_CTX_add_custom_ext")]
    private static unsafe partial int AddExtension(
        nint context, uint type, uint contexts,
        delegate* unmanaged<nint, uint, uint, nint*, nuint*, nint, nuint, int*, nint, int> add, void* free, nint addArgument,
        delegate* unmanaged<nint, uint, uint, byte*, nuint, nint, nuint, int*, nint, int> parse, nint parseArgument);
}
