using System.IO.Pipelines;

namespace Ioxide.Tests;

/// <summary>Code behind an await comes back to the reactor that it started on, unless it asked not to.</summary>
public class SynchronizationTests : ReactorTests
{
    [Theory, Each("Delay", "Run", "Yield", "Source")]
    public async Task AnAwaitComesBackToTheReactor(string kind)
    {
        Reactor? after = await Fixture[1].RunAsync(async () =>
        {
            for (int round = 0; round < 20; round++)
            {
                await AwaitAsync(kind);
                Assert.Same(Fixture[1], Reactor.Current);
            }

            return Reactor.Current;
        }).Within(20.Seconds());

        Assert.Same(Fixture[1], after);
    }

    [Fact]
    public async Task AnAwaitThatDoesNotWantTheContextLeavesTheReactor()
    {
        TaskCompletionSource signal = Waits.Signal();
        Task<Reactor?> after = Fixture[0].RunAsync(async () =>
        {
            await signal.Task.ConfigureAwait(false);
            return Reactor.Current;
        });

        // What is posted behind it runs when it waits.
        await Fixture[0].RunAsync(static () => { }).Within(20.Seconds());
        signal.SetResult();

        Assert.Null(await after.Within(20.Seconds()));
    }

    [Fact]
    public async Task ReactorsAwaitEachOtherAndComeHome()
    {
        (Reactor? there, Reactor? here) = await Fixture[0].RunAsync(async () =>
        {
            Reactor? there = await Fixture[1].RunAsync(() => Reactor.Current);
            return (there, Reactor.Current);
        }).Within(20.Seconds());

        Assert.Equal((Fixture[1], Fixture[0]), (there, here));
    }

    [Fact]
    public async Task SendRunsOnTheReactorBeforeItReturns()
    {
        Reactor? where = null;
        await Task.Run(() => Fixture[1].SynchronizationContext.Send(_ => where = Reactor.Current, null)).Within(20.Seconds());
        Assert.Same(Fixture[1], where);

        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => Task.Run(
            () => Fixture[1].SynchronizationContext.Send(_ => throw new InvalidOperationException("sent"), null)).Within(20.Seconds()));
        Assert.Equal("sent", exception.Message);
    }

    [Fact]
    public async Task SendFromTheReactorItselfRunsAtOnce()
    {
        bool ran = await Fixture[0].RunAsync(() =>
        {
            bool ran = false;
            Fixture[0].SynchronizationContext.Send(_ => ran = true, null);
            return ran;
        }).Within(20.Seconds());

        Assert.True(ran);
    }

    [Fact]
    public async Task SendToAReactorThatHasEndedThrowsInsteadOfWaitingForEver()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        Reactor reactor = fixture[0];
        await fixture.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => Task.Run(() => reactor.SynchronizationContext.Send(_ => { }, null)).Within(20.Seconds(), "Send to an ended reactor"));
    }

    [Fact]
    public async Task TheContextIsCurrentOnItsReactorAndItsCopyIsTheSame()
    {
        SynchronizationContext? current = await Fixture[0].RunAsync(() => SynchronizationContext.Current).Within(20.Seconds());

        Assert.Same(Fixture[0].SynchronizationContext, current);
        Assert.Same(current, current!.CreateCopy());
    }

    /// <summary>As on the thread pool, where a <see cref="Progress{T}"/> posts without a context.</summary>
    [Fact]
    public async Task WhatIsPostedSeesTheExecutionContextOfItsPoster()
    {
        AsyncLocal<string?> local = new();
        TaskCompletionSource<string?> seen = Waits.Signal<string?>();
        await Fixture[0].RunAsync(() =>
        {
            local.Value = "of the poster";
            IProgress<int> progress = new Progress<int>(_ => seen.SetResult($"{local.Value} on {Reactor.Current?.Id}"));
            progress.Report(1);
        }).Within(20.Seconds());

        Assert.Equal("of the poster on 0", await seen.Task.Within(20.Seconds()));
    }

    [Fact]
    public async Task TheSchedulerRunsOnTheReactor()
    {
        TaskCompletionSource<Reactor?> where = Waits.Signal<Reactor?>();
        PipeScheduler scheduler = Fixture[1].Scheduler;
        scheduler.Schedule(_ => where.SetResult(Reactor.Current), null);

        Assert.Same(Fixture[1], await where.Task.Within(20.Seconds()));
    }

    /// <summary>As the contexts do: a pipe that waits for it would wait for ever.</summary>
    [Fact]
    public async Task TheSchedulerOfAReactorThatHasEndedRunsOnTheThreadPool()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        Reactor reactor = fixture[0];
        await fixture.DisposeAsync();
        TaskCompletionSource<bool> isOfPool = Waits.Signal<bool>();
        reactor.Scheduler.Schedule(_ => isOfPool.SetResult(Thread.CurrentThread.IsThreadPoolThread), null);

        Assert.True(await isOfPool.Task.Within(20.Seconds()));
    }

    private static async Task AwaitAsync(string kind)
    {
        switch (kind)
        {
            case "Delay":
                await Task.Delay(1);
                break;
            case "Run":
                await Task.Run(static () => Assert.Null(Reactor.Current));
                break;
            case "Yield":
                await Task.Yield();
                break;
            default:
                TaskCompletionSource source = Waits.Signal();
                ThreadPool.UnsafeQueueUserWorkItem(source => source.SetResult(), source, preferLocal: false);
                await source.Task;
                break;
        }
    }
}
