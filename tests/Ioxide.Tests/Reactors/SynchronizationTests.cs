using System.IO.Pipelines;
using Ioxide.TestKit;

namespace Ioxide.Tests;

/// <summary>Code behind an await comes back to the reactor that it started on, unless it asked not to.</summary>
public class SynchronizationTests
{
    [Theory]
    [InlineData("Delay")]
    [InlineData("Run")]
    [InlineData("Yield")]
    [InlineData("Source")]
    public async Task AnAwaitComesBackToTheReactor(string kind)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        Reactor? after = await fixture[1].RunAsync(async () =>
        {
            for (int round = 0; round < 20; round++)
            {
                await AwaitAsync(kind);
                Assert.Same(fixture[1], Reactor.Current);
            }

            return Reactor.Current;
        }).Within(20.Seconds());

        Assert.Same(fixture[1], after);
    }

    [Fact]
    public async Task AnAwaitThatDoesNotWantTheContextLeavesTheReactor()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        Reactor? after = await fixture[0].RunAsync(async () =>
        {
            await Task.Delay(1).ConfigureAwait(false);
            return Reactor.Current;
        }).Within(20.Seconds());

        Assert.Null(after);
    }

    [Fact]
    public async Task ReactorsAwaitEachOtherAndComeHome()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        (Reactor? there, Reactor? here) = await fixture[0].RunAsync(async () =>
        {
            Reactor? there = await fixture[1].RunAsync(() => Reactor.Current);
            return (there, Reactor.Current);
        }).Within(20.Seconds());

        Assert.Equal((fixture[1], fixture[0]), (there, here));
    }

    [Fact]
    public async Task SendRunsOnTheReactorBeforeItReturns()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        Reactor? where = null;
        await Task.Run(() => fixture[1].SynchronizationContext.Send(_ => where = Reactor.Current, null)).Within(20.Seconds());
        Assert.Same(fixture[1], where);

        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() => Task.Run(
            () => fixture[1].SynchronizationContext.Send(_ => throw new InvalidOperationException("sent"), null)).Within(20.Seconds()));
        Assert.Equal("sent", exception.Message);
    }

    [Fact]
    public async Task SendFromTheReactorItselfRunsAtOnce()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        bool ran = await fixture[0].RunAsync(() =>
        {
            bool ran = false;
            fixture[0].SynchronizationContext.Send(_ => ran = true, null);
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
        await using ReactorFixture fixture = ReactorFixture.Start();
        SynchronizationContext? current = await fixture[0].RunAsync(() => SynchronizationContext.Current).Within(20.Seconds());

        Assert.Same(fixture[0].SynchronizationContext, current);
        Assert.Same(current, current!.CreateCopy());
    }

    [Fact]
    public async Task TheSchedulerRunsOnTheReactor()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        TaskCompletionSource<Reactor?> where = Waits.Signal<Reactor?>();
        PipeScheduler scheduler = fixture[1].Scheduler;
        scheduler.Schedule(_ => where.SetResult(Reactor.Current), null);

        Assert.Same(fixture[1], await where.Task.Within(20.Seconds()));
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
