namespace Ioxide.Pg.Tests;

/// <summary>Work that attempts to connect share.</summary>
public class SharedRunTests
{
    /// <summary>An application that ends at such an exception would end.</summary>
    [Fact]
    public async Task AnErrorBehindACallerThatGaveUpIsNoUnobservedException()
    {
        using UnobservedExceptions unobserved = UnobservedExceptions.Watch();
        await GiveUpAsync();

        // Its frame is on the stack until then, and holds the run.
        await Task.Yield();
        unobserved.AssertNone();
    }

    private static async Task GiveUpAsync()
    {
        TaskCompletionSource<Thread> begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using ManualResetEventSlim goesOn = new();
        SharedRun<int> run = new(() =>
        {
            begun.SetResult(Thread.CurrentThread);
            goesOn.Wait();
            throw new IOException("The work has failed.");
        });
        using CancellationTokenSource given = new();
        Task<int> asked = run.GetAsync(given.Token);
        Thread thread = await begun.Task.Within(30.Seconds());
        await given.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
        goesOn.Set();
        Assert.True(thread.Join(60.Seconds()));
    }
}
