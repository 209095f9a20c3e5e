using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>
/// One application on stock Kestrel and on the engine: scripts of frames are played to both, and after each step both have said the same.
/// </summary>
/// <remarks>A difference is allowed under the case's name, with the paragraph that allows the engine's answer.</remarks>
public class KestrelOracleTests
{
    /// <summary>The engine's answer where it is another one than Kestrel's.</summary>
    private static readonly Dictionary<string, string> s_allowed = new()
    {
        // A malformed request is an error of its stream (RFC 9113, section 8.1.1); Kestrel ends the connection.
        ["fields +:method=GET"] = Malformed,
        ["fields +:status=200"] = Malformed,
        ["fields +:other=1"] = Malformed,
        ["fields +early=1"] = Malformed,
        ["fields Upper=1"] = Malformed,
        ["fields =1"] = Malformed,
        ["fields nul=a\0b"] = Malformed,
        ["fields cr=a\rb"] = Malformed,
        ["fields lf=a\nb"] = Malformed,
        ["fields utf=\u00ff\u00fe"] = Malformed,
        ["fields connection=close"] = Malformed,
        ["fields te=gzip"] = Malformed,
        ["fields content-length=x"] = Malformed,
        ["fields content-length=-1"] = Malformed,
        ["fields content-length=0;content-length=0"] = Malformed,
        ["trailers without an end"] = Malformed,
        ["trailers with a pseudo-header field"] = Malformed,

        // Kestrel lets these pass: characters (RFC 9113, section 8.2.1), fields of connections (section 8.2.2), targets (RFC 3986, section 3.3).
        ["fields -:path;+:path=/a b"] = Malformed,
        ["fields sp ace=1"] = Malformed,
        ["fields lead= a"] = Malformed,
        ["fields trail=a "] = Malformed,
        ["fields transfer-encoding=chunked"] = Malformed,
        ["fields upgrade=h2c"] = Malformed,
        ["fields keep-alive=1"] = Malformed,
        ["fields proxy-connection=1"] = Malformed,

        // RFC 9113, section 4.3; Kestrel says INTERNAL_ERROR.
        ["a block that cannot be decoded"] = "GOAWAY CompressionError",
    };

    private const string Malformed = "RST ProtocolError | ";

    [Fact]
    public async Task EachCaseIsAnsweredAsByKestrel()
    {
        await using Http2Host kestrel = await StartAsync(isEngine: false);
        await using Http2Host engine = await StartAsync(isEngine: true);
        List<string> differences = [];
        foreach (Case step in Case.All)
        {
            differences.AddRange(await CompareAsync(kestrel, engine, [step]));
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task ScriptsAreAnsweredAsByKestrel(int seed)
    {
        Random random = new(seed);
        await using Http2Host kestrel = await StartAsync(isEngine: false);
        await using Http2Host engine = await StartAsync(isEngine: true);
        for (int script = 0; script < 100; script++)
        {
            Case[] steps = [.. Enumerable.Range(0, random.Next(2, 9)).Select(_ => Case.All[random.Next(Case.All.Count)])];
            List<string> differences = await CompareAsync(kestrel, engine, steps);
            Assert.True(differences.Count == 0, $"seed {seed}, script {script}:\n{string.Join('\n', differences)}");
        }
    }

    private static async Task<List<string>> CompareAsync(Http2Host kestrel, Http2Host engine, Case[] steps)
    {
        using FrameClient theirs = await kestrel.ConnectAsync();
        using FrameClient ours = await engine.ConnectAsync();
        List<string> differences = [];
        for (int index = 0; index < steps.Length; index++)
        {
            Case step = steps[index];
            int streamId = (index * 2) + 1;
            string expected = await PlayAsync(theirs, step, streamId);
            string actual = await PlayAsync(ours, step, streamId);
            if (expected != actual && s_allowed.GetValueOrDefault(step.Name) != actual)
            {
                differences.Add($"{step.Name}: Kestrel {expected}, engine {actual}");
            }

            if (expected != actual || actual.StartsWith("GOAWAY", StringComparison.Ordinal))
            {
                break;
            }
        }

        return differences;
    }

    /// <summary>Sends a step, and a ping behind it; what came of both, without what is another one each time.</summary>
    private static async Task<string> PlayAsync(FrameClient client, Case step, int streamId)
    {
        byte[] bytes = [.. step.Make(streamId), .. FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, new byte[8])];
        try
        {
            await client.SendAsync(bytes);
        }
        catch (System.Net.Sockets.SocketException)
        {
            return "GOAWAY";
        }

        bool isRequest = step.Make(streamId) is { Length: > 3 } first && first[3] == (byte)Http2FrameType.Headers;
        bool isAnswered = false;
        bool isOver = !isRequest;
        List<string> said = [];
        string body = "";
        while (!isAnswered || !isOver)
        {
            Frame? frame = await client.ReadAsync();
            switch (frame?.Type)
            {
                case null:
                    return "GOAWAY";
                case Http2FrameType.GoAway:
                    return $"GOAWAY {frame.Code}";
                case Http2FrameType.Ping:
                    isAnswered = true;
                    break;
                case Http2FrameType.RstStream when frame.StreamId == streamId && !isOver:
                    said.Add($"RST {frame.Code}");
                    isOver = true;
                    break;
                case Http2FrameType.Headers when frame.StreamId == streamId:
                    said.Add(string.Join(", ", frame.Fields!.Where(field => field.Name != "date").Select(field => $"{field.Name}: {field.Value}").Order()));
                    isOver |= frame.EndsStream;
                    break;
                case Http2FrameType.Data when frame.StreamId == streamId:
                    body += frame.Text;
                    isOver |= frame.EndsStream;
                    break;
            }
        }

        return $"{string.Join(" | ", said)} | {body}";
    }

    private static Task<Http2Host> StartAsync(bool isEngine) => Http2Host.StartAsync(new Http2Setup
    {
        IsEngine = isEngine,
        ExpectsErrors = true,
        Handler = static async context =>
        {
            using StreamReader reader = new(context.Request.Body);
            string body = await reader.ReadToEndAsync();
            HttpRequest request = context.Request;
            context.Response.Headers["X-Own"] = "1";
            await context.Response.WriteAsync(
                $"{request.Method} {request.Scheme} {request.Host} '{request.Path}' '{request.QueryString}' {request.ContentLength} {body}\n"
                + $"{context.Features.Get<Microsoft.AspNetCore.Http.Features.IHttpRequestFeature>()!.RawTarget}\n"
                + string.Join('\n', request.Headers.Select(static header => $"{header.Key}={string.Join('|', header.Value.ToArray())}").Order()));
        },
    });
}
