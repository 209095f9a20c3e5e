using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>A handler's first, synchronous piece: what it submits is sent in one pass behind it, and not later than that.</summary>
public class FirstPieceTests
{
    [Fact]
    public async Task AnAnswerInOnePieceIsItsFieldsAndItsBytes()
    {
        await using Http2Host host = await Http2Host.StartAsync(static context => context.Response.WriteAsync("an answer"));
        using FrameClient client = await host.ConnectAsync();
        List<Frame> frames = await client.AskAsync(FrameClient.Request(1));
        Assert.Equal("Headers Data", string.Join(' ', frames.Select(static frame => frame.Type)));
        Assert.Equal("an answer", Encoding.UTF8.GetString(frames[1].Payload));
    }

    /// <summary>The control: a piece behind an await is sent when it is flushed.</summary>
    [Fact]
    public async Task APieceBehindAnAwaitIsNotKeptBack()
    {
        TaskCompletionSource seen = Waits.Signal();
        await AssertFirstIsSentAloneAsync(seen.SetResult, async context =>
        {
            await Task.Yield();
            await context.Response.WriteAsync("first");
            await seen.Task;
            await context.Response.WriteAsync("second");
        });
    }

    [Fact]
    public async Task WhatAHandlerHasFlushedIsSentBeforeItBlocks()
    {
        using ManualResetEventSlim seen = new();
        await AssertFirstIsSentAloneAsync(seen.Set, context =>
        {
            Task written = context.Response.WriteAsync("first");
            Assert.True(written.IsCompletedSuccessfully);
            seen.Wait(30.Seconds());
            return context.Response.WriteAsync("second");
        });
    }

    [Fact]
    public async Task FieldsThatTheApplicationChangesBehindTheStartAreNotSent()
    {
        await using Http2Host host = await Http2Host.StartAsync(async static context =>
        {
            HeaderDictionary own = new() { ["X-Own"] = "before" };
            context.Features.Get<IHttpResponseFeature>()!.Headers = own;
            await context.Response.StartAsync();
            own["X-Own"] = "behind";
        });
        using FrameClient client = await host.ConnectAsync();
        Assert.Equal("before", (await client.AskAsync(FrameClient.Request(1)))[0]["x-own"]);
    }

    [Theory, AllValues]
    public async Task TheStreamOfAResponseIsNotRead(bool isEngine)
    {
        await using Http2Host host = await Http2Host.StartAsync(isEngine, static async context =>
        {
            Exception error = await Assert.ThrowsAnyAsync<Exception>(async () => await context.Response.Body.ReadExactlyAsync(new byte[1]));
            await context.Response.WriteAsync(error.GetType().Name);
        });
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        Assert.Contains(
            nameof(NotSupportedException),
            string.Concat((await client.ReadStreamAsync(1)).Select(static frame => Encoding.UTF8.GetString(frame.Payload))));
    }

    /// <param name="release">Lets the handler write its second piece.</param>
    /// <param name="handler">Writes its first piece and waits.</param>
    private static async Task AssertFirstIsSentAloneAsync(Action release, RequestDelegate handler)
    {
        await using Http2Host host = await Http2Host.StartAsync(handler);
        using FrameClient client = await host.ConnectAsync();
        await client.SendAsync(FrameClient.Request(1));
        Assert.Equal(Http2FrameType.Headers, (await client.ReadAsync())!.Type);
        Assert.Equal("first", Encoding.UTF8.GetString((await client.ReadAsync())!.Payload));
        release();
        Assert.EndsWith("second", string.Concat((await client.ReadStreamAsync(1)).Select(static frame => Encoding.UTF8.GetString(frame.Payload))));
    }
}
