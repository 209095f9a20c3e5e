using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>What no client may send (RFC 9113): the code, whether the stream or the connection ends, and that others are served on.</summary>
public class RuleTests
{
    private static readonly (string Name, string Value)[] s_get = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "localhost")];

    /// <summary>Fields of a request, as changes of a GET: a name with '-' is taken out, one with '+' put before the rest.</summary>
    [Theory, Each(
        "-:method", "-:path", "-:scheme", "+:method=GET", "+:status=200", "+:protocol=websocket", "+:other=1", "+early=1", "-:path;+:path=",
        "-:path;+:path=relative", "-:path;+:path=*", "-:path;+:path=/%00", "-:path;+:path=/a b", "-:path;+:path=/\u00e9", "-:scheme;+:scheme=https",
        "-:scheme;+:scheme=ftp", "-:method;+:method=G T", "-:method;+:method=CONNECT", "-:authority;+:authority=a b", "-:authority;+:authority=host:",
        "Upper=1", "sp ace=1", "=1", "nul=a\0b", "cr=a\rb", "lf=a\nb", "lead= a", "trail=a\t", "utf=\u00ff\u00fe", "connection=close",
        "transfer-encoding=chunked", "upgrade=h2c", "keep-alive=1", "proxy-connection=1", "te=gzip", "content-length=5", "content-length=x",
        "content-length=0;content-length=0", "-:authority;host=a;host=b")]
    public async Task AMalformedRequestEndsItsStreamAlone(string changes)
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await host.ConnectAsync();
        Frame reset = Assert.Single(await client.AskAsync(FrameClient.Headers(1, true, Changed(changes))));
        Assert.Equal((Http2FrameType.RstStream, Http2ErrorCode.ProtocolError), (reset.Type, reset.Code));
        await AssertServedAsync(client, 3);
    }

    [Theory, Each(
        "te=trailers", "te=TRAILERS", "-:authority", "-:authority;host=a:80", "-:authority;+:authority=[::1]:80",
        "-:method;+:method=OPTIONS;-:path;+:path=*", "-:method;+:method=OWN", "content-length=0", "utf=\u00c3\u00a9")]
    public async Task ARequestThatIsOnlyUnusualIsServed(string changes)
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("200", (await client.AskAsync(FrameClient.Headers(1, true, Changed(changes))))[0][":status"]);
    }

    /// <summary>Frames behind the settings, in hexadecimal: type, flags, stream, payload.</summary>
    [Theory]
    [InlineData("0 0 0 00", nameof(Http2ErrorCode.ProtocolError), "DATA on stream 0")]
    [InlineData("0 0 1 00", nameof(Http2ErrorCode.ProtocolError), "DATA on an idle stream")]
    [InlineData("0 0 2 00", nameof(Http2ErrorCode.ProtocolError), "DATA on a stream of the server's")]
    [InlineData("0 8 1 ", nameof(Http2ErrorCode.FrameSizeError), "padded DATA without a length")]
    [InlineData("0 8 1 0100", nameof(Http2ErrorCode.ProtocolError), "DATA on an idle stream, padded")]
    [InlineData("0 8 1 02 00", nameof(Http2ErrorCode.ProtocolError), "padding longer than DATA")]
    [InlineData("1 4 0 82", nameof(Http2ErrorCode.ProtocolError), "HEADERS on stream 0")]
    [InlineData("1 4 2 82", nameof(Http2ErrorCode.ProtocolError), "HEADERS with an even number")]
    [InlineData("1 5 1 80", nameof(Http2ErrorCode.CompressionError), "a block that cannot be decoded")]
    [InlineData("1 2d 1 00", nameof(Http2ErrorCode.FrameSizeError), "HEADERS shorter than its priority")]
    [InlineData("1 d 1 0582", nameof(Http2ErrorCode.ProtocolError), "padding longer than HEADERS")]
    [InlineData("1 25 1 000000010082", nameof(Http2ErrorCode.ProtocolError), "HEADERS depends on itself")]
    [InlineData("1 1 1 82|6 0 0 0000000000000000", nameof(Http2ErrorCode.ProtocolError), "PING inside a block")]
    [InlineData("1 1 1 82|9 4 3 84", nameof(Http2ErrorCode.ProtocolError), "CONTINUATION of another stream")]
    [InlineData("1 1 1 82|a 0 1 ", nameof(Http2ErrorCode.ProtocolError), "an unknown frame inside a block")]
    [InlineData("9 4 1 82", nameof(Http2ErrorCode.ProtocolError), "CONTINUATION alone")]
    [InlineData("2 0 0 0000000000", nameof(Http2ErrorCode.ProtocolError), "PRIORITY on stream 0")]
    [InlineData("2 0 1 00000000", nameof(Http2ErrorCode.FrameSizeError), "PRIORITY of four bytes")]
    [InlineData("2 0 1 0000000100", nameof(Http2ErrorCode.ProtocolError), "PRIORITY on itself")]
    [InlineData("3 0 0 00000000", nameof(Http2ErrorCode.ProtocolError), "RST_STREAM on stream 0")]
    [InlineData("3 0 1 00000000", nameof(Http2ErrorCode.ProtocolError), "RST_STREAM on an idle stream")]
    [InlineData("3 0 1 000000", nameof(Http2ErrorCode.FrameSizeError), "RST_STREAM of three bytes")]
    [InlineData("4 0 1 ", nameof(Http2ErrorCode.ProtocolError), "SETTINGS on a stream")]
    [InlineData("4 1 0 000000000000", nameof(Http2ErrorCode.FrameSizeError), "an acknowledgement with settings")]
    [InlineData("4 0 0 00", nameof(Http2ErrorCode.FrameSizeError), "a byte of a setting")]
    [InlineData("4 0 0 000200000002", nameof(Http2ErrorCode.ProtocolError), "ENABLE_PUSH 2")]
    [InlineData("4 0 0 000480000000", nameof(Http2ErrorCode.FlowControlError), "INITIAL_WINDOW_SIZE 2^31")]
    [InlineData("4 0 0 000500003fff", nameof(Http2ErrorCode.ProtocolError), "MAX_FRAME_SIZE below 2^14")]
    [InlineData("4 0 0 000501000000", nameof(Http2ErrorCode.ProtocolError), "MAX_FRAME_SIZE 2^24")]
    [InlineData("5 4 1 0000000282", nameof(Http2ErrorCode.ProtocolError), "PUSH_PROMISE")]
    [InlineData("6 0 1 0000000000000000", nameof(Http2ErrorCode.ProtocolError), "PING on a stream")]
    [InlineData("6 0 0 00000000000000", nameof(Http2ErrorCode.FrameSizeError), "PING of seven bytes")]
    [InlineData("7 0 1 0000000000000000", nameof(Http2ErrorCode.ProtocolError), "GOAWAY on a stream")]
    [InlineData("7 0 0 00000000000000", nameof(Http2ErrorCode.FrameSizeError), "GOAWAY of seven bytes")]
    [InlineData("8 0 0 000000", nameof(Http2ErrorCode.FrameSizeError), "WINDOW_UPDATE of three bytes")]
    [InlineData("8 0 0 00000000", nameof(Http2ErrorCode.ProtocolError), "WINDOW_UPDATE of nothing")]
    [InlineData("8 0 1 00000001", nameof(Http2ErrorCode.ProtocolError), "WINDOW_UPDATE of an idle stream")]
    [InlineData("8 0 0 7fffffff", nameof(Http2ErrorCode.FlowControlError), "a connection's window above 2^31 - 1")]
    public async Task AFrameThatMayNotStandThereEndsTheConnection(string frames, string code, string why)
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await host.ConnectAsync();
        foreach (string frame in frames.Split('|'))
        {
            string[] parts = frame.Split(' ', 4);
            await client.SendAsync(FrameClient.Frame(
                (Http2FrameType)Convert.ToByte(parts[0], 16),
                (Http2FrameFlags)Convert.ToByte(parts[1], 16),
                int.Parse(parts[2], System.Globalization.CultureInfo.InvariantCulture),
                Convert.FromHexString(parts[3].Replace(" ", "", StringComparison.Ordinal))));
        }

        Frame? goAway = await client.ReadGoAwayAsync();
        Assert.True(goAway?.Code == Enum.Parse<Http2ErrorCode>(code), $"{why}: {goAway}");
    }

    [Fact]
    public async Task AnotherFirstFrameThanSettingsEndsTheConnection()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, null);
        byte[] opening = [.. Http2Connection.Preface, .. FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8])];
        await client.SendAsync(opening);
        Assert.Equal(Http2ErrorCode.ProtocolError, (await client.ReadGoAwayAsync())?.Code);
    }

    [Fact]
    public async Task UnknownFramesAndSettingsAreIgnored()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await host.ConnectAsync((0xFFFF, 1u), (0x8, 1u));
        await client.SendAsync(FrameClient.Frame((Http2FrameType)0xBE, (Http2FrameFlags)0xFF, 77, 1, 2, 3));
        await AssertServedAsync(client, 1);
    }

    [Fact]
    public async Task ANumberThatWasUsedEndsTheConnection()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await host.ConnectAsync();
        await AssertServedAsync(client, 5);
        await client.SendAsync(FrameClient.Request(3));
        Assert.Equal(Http2ErrorCode.StreamClosed, (await client.ReadGoAwayAsync())?.Code);
    }

    [Theory]
    [InlineData(4, true)]
    [InlineData(6, true)]
    [InlineData(5, false)]
    public async Task ABodyHasTheLengthThatWasSaid(int length, bool isReset)
    {
        await using Http2Host host = await Http2Host.StartAsync(static async context =>
        {
            await context.Request.Body.CopyToAsync(Stream.Null);
            await context.Response.WriteAsync("fine");
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1, ends: false, method: "POST", others: ("content-length", "5")));
        await client.SendAsync(FrameClient.Data(1, new byte[length], ends: true));
        Frame first = (await client.ReadStreamAsync(1))[0];
        Assert.Equal(isReset ? Http2FrameType.RstStream : Http2FrameType.Headers, first.Type);
        await AssertServedAsync(client, 3);
    }

    [Fact]
    public async Task TooLargeFieldsAreAnsweredWith431AndFarTooLargeOnesEndTheConnection()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("fine"));
        using FrameClient client = await host.ConnectAsync();
        (string, string)[] some = [.. Enumerable.Range(0, 9).Select(index => ($"f{index}", new string('x', 4000)))];
        await SendBlockAsync(client, 1, FrameClient.Block([.. s_get, .. some]));
        Assert.Equal("431", (await client.ReadStreamAsync(1))[0][":status"]);
        (string, string)[] many = [.. Enumerable.Range(0, 101).Select(index => ($"f{index}", "x"))];
        await SendBlockAsync(client, 3, FrameClient.Block([.. s_get, .. many]));
        Assert.Equal("431", (await client.ReadStreamAsync(3))[0][":status"]);
        await AssertServedAsync(client, 5);
        await SendBlockAsync(client, 7, FrameClient.Block([.. s_get, .. some, .. some]));
        Assert.Equal(Http2ErrorCode.EnhanceYourCalm, (await client.ReadGoAwayAsync())?.Code);
    }

    /// <summary>A body behind such fields is dropped, also if it arrives before the answer is made.</summary>
    [Fact]
    public async Task TheBodyOfARequestWithTooManyFieldsIsDropped()
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Transport = static options => options.ApplicationScheduling = ApplicationScheduling.ThreadPool,
            Handler = static context => context.Request.Body.CopyToAsync(context.Response.Body),
        });
        using FrameClient client = await host.ConnectAsync();
        (string, string)[] many = [.. Enumerable.Range(0, 101).Select(static index => ($"f{index}", "x"))];
        for (int stream = 1; stream < 20; stream += 4)
        {
            byte[] refused = [.. FrameClient.Request(stream, ends: false, method: "POST", others: many), .. FrameClient.Data(stream, "dropped"u8)];
            await client.SendAsync(refused);
            Assert.Equal("431", (await client.ReadStreamAsync(stream))[0][":status"]);
            byte[] good = [.. FrameClient.Request(stream + 2, ends: false, method: "POST"), .. FrameClient.Data(stream + 2, "read"u8, ends: true)];
            await client.SendAsync(good);
            Assert.Equal("read", string.Concat((await client.ReadStreamAsync(stream + 2)).Where(static frame => frame.Type == Http2FrameType.Data).Select(static frame => frame.Text)));
        }
    }

    private static async Task SendBlockAsync(FrameClient client, int streamId, byte[] block)
    {
        const int PieceBytes = 16_000;
        for (int start = 0; start < block.Length; start += PieceBytes)
        {
            int length = Math.Min(PieceBytes, block.Length - start);
            Http2FrameFlags flags = (start == 0 ? Http2FrameFlags.EndStream : Http2FrameFlags.None)
                | (start + length == block.Length ? Http2FrameFlags.EndHeaders : Http2FrameFlags.None);
            await client.SendAsync(FrameClient.Frame(
                start == 0 ? Http2FrameType.Headers : Http2FrameType.Continuation, flags, streamId, block.AsSpan(start, length)));
        }
    }

    private static async Task AssertServedAsync(FrameClient client, int streamId)
    {
        Assert.Equal("200", (await client.AskAsync(FrameClient.Request(streamId)))[0][":status"]);
    }

    /// <summary>gRPC sends an application's exceptions to its clients, who know these words.</summary>
    [Theory, AllValues]
    public async Task AnInvalidCharacterOfAnAnswersFieldIsNamed(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static context => context.Response.WriteAsync(
            Assert.Throws<InvalidOperationException>(() => context.Response.Headers["name"] = "a\u0011\u00e9").Message));
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));

        Assert.Equal("Invalid non-ASCII or control character in header: 0x0011", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    private static (string Name, string Value)[] Changed(string changes)
    {
        List<(string Name, string Value)> fields = [.. s_get];
        foreach (string change in changes.Split(';'))
        {
            string[] parts = change.Split('=', 2);
            switch (change[0])
            {
                case '-':
                    fields.RemoveAll(field => field.Name == parts[0][1..]);
                    break;
                case '+':
                    fields.Insert(0, (parts[0][1..], parts[1]));
                    break;
                default:
                    fields.Add((parts[0], parts[1]));
                    break;
            }
        }

        return [.. fields];
    }
}
