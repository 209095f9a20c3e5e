using System.Net.WebSockets;
using System.Text;
using Microsoft.AspNetCore.Builder;

namespace Ioxide.AspNetCore.Tests;

/// <summary>A run that hardly ends, as that of a WebSocket, earns the reactor by what it does between its awaits, and loses it as others do.</summary>
public sealed class LongRunTests : IDisposable
{
    private readonly ManualResetEventSlim _isSet = new();

    public void Dispose() => _isSet.Dispose();

    [Fact]
    public async Task GoesOnOnItsReactorOnceItHasShownThatItDoesNotBlock()
    {
        await using TestServer server = await StartAsync();
        using ClientWebSocket client = await WebSocketTests.ConnectAsync(server, "/ws");

        int onPool = await ProveAsync(client);

        // A message is a stretch or two.
        Assert.True(onPool > Placement.FirstProofRuns * Placement.FirstProofRuns / 4, $"{onPool} messages were answered on the pool.");
        Assert.Equal(PlacementState.Inline, Learning.Placement(server, "/ws").State);
        await CloseAsync(client);
    }

    [Fact]
    public async Task StaysOnThePoolWhileItBlocks()
    {
        await using TestServer server = await StartAsync();
        using ClientWebSocket client = await WebSocketTests.ConnectAsync(server, "/ws");
        for (int message = 0; message < 4 * Placement.FirstProofRuns; message++)
        {
            Assert.Equal(Learning.OnPool, await AskAsync(client, "sleep 2"));
        }

        Assert.Equal(0, Learning.Placement(server, "/ws").QuickRuns);
        await CloseAsync(client);
    }

    [Fact]
    public async Task ComesBackToThePoolWhenItStallsItsReactor()
    {
        await using TestServer server = await StartAsync();
        using ClientWebSocket client = await WebSocketTests.ConnectAsync(server, "/ws");
        await ProveAsync(client);

        await Learning.DemotedAsync(server, "/ws", () => AskAsync(client, "sleep 20"));

        Assert.Equal(Learning.OnPool, await AskAsync(client, ""));
        await CloseAsync(client);
    }

    [Fact]
    public async Task AWaitOnTheReactorKeepsItTurning()
    {
        await using TestServer server = await StartAsync();
        using ClientWebSocket client = await WebSocketTests.ConnectAsync(server, "/ws");
        using RawClient other = await server.ConnectAsync();
        await ProveAsync(client);

        Task<string> waiting = AskAsync(client, "wait");
        Assert.Equal(200, (await other.GetAsync("/set")).Status);

        // There it waited for the other request, and it goes on there.
        Assert.Equal("True", await waiting);
        await CloseAsync(client);
    }

    [Fact]
    public async Task WhatItPostsToTheReactorSeesItsExecutionContext()
    {
        await using TestServer server = await StartAsync();
        using ClientWebSocket client = await WebSocketTests.ConnectAsync(server, "/ws");
        await ProveAsync(client);

        Assert.Equal("of the run on reactor", await AskAsync(client, "progress"));
        await CloseAsync(client);
    }

    private static async Task<int> ProveAsync(ClientWebSocket client)
    {
        int onPool = 0;
        DateTime end = DateTime.UtcNow + 60.Seconds();
        while (await AskAsync(client, "") != Learning.OnReactor)
        {
            onPool++;
            Assert.True(DateTime.UtcNow < end, $"Still on the pool after {onPool} messages.");
        }

        return onPool;
    }

    private static async Task<string> AskAsync(ClientWebSocket client, string question)
    {
        await client.SendAsync(Encoding.UTF8.GetBytes(question), WebSocketMessageType.Text, true, CancellationToken.None).Within(20.Seconds());
        byte[] answer = new byte[100];
        WebSocketReceiveResult received = await client.ReceiveAsync(answer, CancellationToken.None).Within(20.Seconds());
        return Encoding.UTF8.GetString(answer, 0, received.Count);
    }

    private static Task CloseAsync(ClientWebSocket client)
        => client.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).Within(20.Seconds());

    private Task<TestServer> StartAsync() => TestServer.StartAsync(Learning.Of(app =>
    {
        app.UseWebSockets();
        app.Map("/ws", async context =>
        {
            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
            byte[] message = new byte[100];
            while (await socket.ReceiveAsync(message.AsMemory(), CancellationToken.None) is { MessageType: WebSocketMessageType.Text } received)
            {
                string[] question = Encoding.UTF8.GetString(message, 0, received.Count).Split(' ');
                string answer = Learning.Where();
                if (question[0] == "sleep")
                {
                    Thread.Sleep(int.Parse(question[1], null));
                }
                else if (question[0] == "wait")
                {
                    answer = $"{_isSet.Wait(10.Seconds()) && Learning.Where() == Learning.OnReactor}";
                }
                else if (question[0] == "progress")
                {
                    AsyncLocal<string?> local = new() { Value = "of the run" };
                    TaskCompletionSource<string> told = Waits.Signal<string>();
                    IProgress<int> progress = new Progress<int>(_ => told.SetResult($"{local.Value} on {Learning.Where()}"));
                    progress.Report(1);
                    answer = await told.Task;
                }

                await socket.SendAsync(Encoding.UTF8.GetBytes(answer), WebSocketMessageType.Text, true, CancellationToken.None);
            }

            await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        });
        app.MapGet("/set", () => _isSet.Set()).RunOnReactor();
    }));
}
