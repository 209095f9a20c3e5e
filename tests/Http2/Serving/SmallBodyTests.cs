using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>A small body that is there whole when its handler begins is read as on stock Kestrel, step by step.</summary>
public class SmallBodyTests
{
    private const string Content = "hello";

    // "all" reads until the body is complete, so that stock Kestrel, which begins handlers earlier, is at the same place.
    [Theory]
    [InlineData("all advance:0,5 read advance:2,5 read advance:5,5 read", "5C . 5C . 3C . 0C")]
    [InlineData("all read", "5C InvalidOperationException")]
    [InlineData("all advance:5,5 advance:5,5", "5C . InvalidOperationException")]
    [InlineData("all advance:3,3 try advance:4,5 try", "5C . 2C . 1C")]
    [InlineData("all advance:0,5 cancel read advance:0,5 read", "5C . . 5C! . 5C")]
    [InlineData("all advance:0,5 token read", "5C . OperationCanceledException 5C")]
    [InlineData("all advance:5,5 complete read", "5C . . InvalidOperationException")]
    [InlineData("all advance:1,5 stream:2 stream:9 stream:9", "5C . el lo -")]
    [InlineData("stream:0 copy stream:9", "- hello -")]
    public async Task StepsGiveWhatTheyGiveOnStockKestrel(string steps, string expected)
    {
        foreach (bool isEngine in (bool[])[false, true])
        {
            await using Http2Host host = await Http2Host.StartAsync(new Http2Setup { IsEngine = isEngine, Handler = PlayAsync });
            using FrameClient client = await host.ConnectAsync();
            foreach (int id in (int[])[1, 3])
            {
                await client.SendAsync((byte[])[
                    .. FrameClient.Request(id, "/", ends: false, "POST", ("steps", steps)), .. FrameClient.Data(id, "hello"u8, ends: true),
                ]);
                Assert.Equal(expected, AnswerTests.Text(await client.ReadStreamAsync(id)));
            }
        }
    }

    /// <summary>What a handler holds of the first body stays while other bodies come.</summary>
    [Fact]
    public async Task BytesThatAreHeldStay()
    {
        TaskCompletionSource others = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(async context =>
        {
            ReadResult read = await context.Request.BodyReader.ReadAsync();
            if (context.Request.Path == "/holds")
            {
                await others.Task;
            }

            await context.Response.WriteAsync(System.Text.Encoding.ASCII.GetString(read.Buffer.ToArray()));
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync((byte[])[.. FrameClient.Request(1, "/holds", ends: false, "POST"), .. FrameClient.Data(1, "held"u8, ends: true)]);
        for (int id = 3; id < 100; id += 2)
        {
            await client.SendAsync((byte[])[.. FrameClient.Request(id, "/", ends: false, "POST"), .. FrameClient.Data(id, "others"u8, ends: true)]);
            Assert.Equal("others", AnswerTests.Text(await client.ReadStreamAsync(id)));
        }

        others.SetResult();
        Assert.Equal("held", AnswerTests.Text(await client.ReadStreamAsync(1)));
    }

    [Theory, Each(WholeBody.MaxBytes - 1, WholeBody.MaxBytes, WholeBody.MaxBytes + 1)]
    public async Task BodiesAroundTheLimitArriveWhole(int length)
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Request.Body.CopyToAsync(context.Response.Body));
        using FrameClient client = await host.ConnectAsync();
        byte[] body = new byte[length];
        for (int id = 1; id < 9; id += 2)
        {
            new Random(id).NextBytes(body);
            await client.SendAsync((byte[])[.. FrameClient.Request(id, "/", ends: false, "POST"), .. FrameClient.Data(id, body, ends: true)]);
            List<Frame> frames = await client.ReadStreamAsync(id);
            Assert.Equal(body, frames.Where(static frame => frame.Type == Http2FrameType.Data).SelectMany(static frame => frame.Payload));
        }
    }

    private static async Task PlayAsync(HttpContext context)
    {
        PipeReader reader = context.Request.BodyReader;
        List<string> results = [];
        ReadResult last = default;
        foreach (string step in context.Request.Headers["steps"].ToString().Split(' '))
        {
            try
            {
                results.Add(await StepAsync(step));
            }
            catch (Exception exception) when (exception is InvalidOperationException or OperationCanceledException)
            {
                results.Add(exception.GetType().Name);
            }
        }

        await context.Response.WriteAsync(string.Join(' ', results));

        async Task<string> StepAsync(string step)
        {
            string[] parts = step.Split(':', ',');
            byte[] buffer = new byte[parts[0] == "stream" ? int.Parse(parts[1]) : 0];
            switch (parts[0])
            {
                case "all":
                    last = await reader.ReadAsync();
                    while (!last.IsCompleted)
                    {
                        reader.AdvanceTo(last.Buffer.Start, last.Buffer.End);
                        last = await reader.ReadAsync();
                    }

                    return Text();
                case "read":
                    last = await reader.ReadAsync();
                    return Text();
                case "try":
                    return reader.TryRead(out last) ? Text() : "nothing";
                case "token":
                    last = await reader.ReadAsync(new CancellationToken(canceled: true));
                    return Text();
                case "advance":
                    int before = Content.Length - (int)last.Buffer.Length;
                    reader.AdvanceTo(last.Buffer.GetPosition(Math.Max(0, int.Parse(parts[1]) - before)), last.Buffer.GetPosition(int.Parse(parts[2]) - before));
                    return ".";
                case "cancel":
                    reader.CancelPendingRead();
                    return ".";
                case "complete":
                    await reader.CompleteAsync();
                    return ".";
                case "copy":
                    MemoryStream copy = new();
                    await context.Request.Body.CopyToAsync(copy);
                    return System.Text.Encoding.ASCII.GetString(copy.ToArray());
                default:
                    int count = await context.Request.Body.ReadAsync(buffer);
                    return count == 0 ? "-" : System.Text.Encoding.ASCII.GetString(buffer, 0, count);
            }
        }

        string Text() => $"{last.Buffer.Length}{(last.IsCompleted ? "C" : "")}{(last.IsCanceled ? "!" : "")}";
    }
}
