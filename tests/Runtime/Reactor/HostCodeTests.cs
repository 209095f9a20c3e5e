using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>What the host's own code does when it is told something ends neither a reactor nor the process.</summary>
public class HostCodeTests
{
    [Fact]
    public async Task AReportThatThrowsEndsNothingAndIsAnEvent()
    {
        using var heard = new Heard();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.StallThreshold = 20.Milliseconds();
            options.Events = new ThrowingEvents();
        });
        using var release = new Blocker();
        Task blocked = fixture[0].RunAsync(() => release.Hold());
        await Waits.Eventually(() => heard.Has("a stall"), 20.Seconds());
        release.Release();
        await blocked.Within(20.Seconds());
        fixture[0].Post(static _ => throw new InvalidOperationException("nobody awaits this"), null);
        await Waits.Eventually(() => heard.Has("nobody awaits this"), 20.Seconds());
        await fixture[0].RunAsync(static () => { }).Within(20.Seconds(), "the reactor goes on");
    }

    /// <summary>A logger may need more than a small stack: this one takes half a megabyte.</summary>
    [Fact]
    public async Task AReportMayUseAsMuchStackAsAnyThreadHas()
    {
        var events = new DeepEvents();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.StallThreshold = 20.Milliseconds();
            options.Events = events;
        });
        using var release = new Blocker();
        Task blocked = fixture[0].RunAsync(() => release.Hold());
        Assert.Equal(512 * 1024, await events.Sum.Within(20.Seconds()));
        release.Release();
        await blocked.Within(20.Seconds());
    }

    /// <summary>As on the thread pool, where the runtime throws it. What a post of the runtime throws is reported.</summary>
    [Theory]
    [InlineData("async-void-throws", ChildProcess.Aborted)]
    [InlineData("post-throws", 0)]
    public async Task AnExceptionThatNobodyCanCatchEndsTheProcess(string name, int expected)
    {
        (int status, string output) = await ChildProcess.RunAsync(name);
        Assert.Equal(expected, status);
        Assert.Contains(expected == 0 ? "done" : "thrown by an async void", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AnExceptionOfAHostWithoutEventsIsOnStandardError()
    {
        (_, string output) = await ChildProcess.RunAsync("post-throws");
        Assert.Contains("System.InvalidOperationException: thrown by a post", output, StringComparison.Ordinal);
    }

    /// <summary>The handler throws when the client knows that it is connected: the reset would end its connect.</summary>
    [Fact]
    public async Task AnExceptionThatAHandlerDoesNotCatchIsAnEvent()
    {
        using var heard = new Heard();
        await using ReactorFixture fixture = ReactorFixture.Start();
        fixture.ExpectsExceptions = true;
        using var connected = new Blocker();
        await using RingListener listener = await fixture.ListenAsync(_ =>
        {
            connected.Hold();
            throw new InvalidOperationException("not caught");
        });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        connected.Release();

        await Waits.Eventually(() => heard.Has("System.InvalidOperationException: not caught", "UnhandledException"), 20.Seconds());
    }

    [Fact]
    public async Task WhatAHandlerSetsOnTheThreadDoesNotStay()
    {
        await using ReactorFixture fixture = ReactorFixture.Start(static options => options.ReactorCount = 1);
        CultureInfo culture = await fixture[0].RunAsync(static () => CultureInfo.CurrentCulture);
        var mine = (CultureInfo)culture.Clone();
        await fixture[0].RunAsync(() =>
        {
            Thread.CurrentThread.Priority = ThreadPriority.Lowest;
            Thread.CurrentThread.IsBackground = false;
            Thread.CurrentThread.Name = "mine";
            CultureInfo.CurrentCulture = mine;
        });
        await fixture[0].RunAsync(static () => { });
        await fixture[0].RunAsync(() =>
        {
            Assert.Equal(ThreadPriority.Normal, Thread.CurrentThread.Priority);
            Assert.True(Thread.CurrentThread.IsBackground);
            Assert.Equal("Ioxide reactor 0", Thread.CurrentThread.Name);
            Assert.Same(culture, CultureInfo.CurrentCulture);
        });
    }

    [Fact]
    public async Task WhatTheStarterHasInItsExecutionContextTheReactorsDoNotSee()
    {
        AsyncLocal<string?> local = new() { Value = "of the starter" };
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource<string?> inPost = Waits.Signal<string?>();
        TaskCompletionSource<string?> inHandler = Waits.Signal<string?>();
        fixture[0].Post(_ => inPost.SetResult(local.Value), null);
        await using RingListener listener = await fixture.ListenAsync(_ =>
        {
            inHandler.SetResult(local.Value);
            return Task.CompletedTask;
        });
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);

        Assert.Null(await inPost.Task.Within(20.Seconds()));
        Assert.Null(await inHandler.Task.Within(20.Seconds()));
    }

    private sealed class ThrowingEvents : ReactorEvents
    {
        public override void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity) => throw new InvalidOperationException("a stall");

        public override void UnhandledException(int reactorId, Exception exception) => throw new InvalidOperationException("an exception", exception);
    }

    private sealed class DeepEvents : ReactorEvents
    {
        private readonly TaskCompletionSource<int> _sum = Waits.Signal<int>();

        internal Task<int> Sum => _sum.Task;

        public override void ReactorStalled(int reactorId, TimeSpan stalledFor, object? activity)
        {
            Span<byte> deep = stackalloc byte[512 * 1024];
            deep.Fill(1);
            int sum = 0;
            foreach (byte one in deep)
            {
                sum += one;
            }

            _sum.TrySetResult(sum);
        }
    }

    private sealed class Heard : EventListener
    {
        private readonly ConcurrentQueue<(string? Name, string Text)> _events = new();

        internal Heard() => EnableEvents(IoxideEventSource.Log, EventLevel.Error);

        internal bool Has(string text, string name = "HostCodeThrew")
            => _events.Any(one => one.Name == name && one.Text.Contains(text, StringComparison.Ordinal));

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
            => _events.Enqueue((eventData.EventName, $"{eventData.Payload![1]}"));
    }
}
