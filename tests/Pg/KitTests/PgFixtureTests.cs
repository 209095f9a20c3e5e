namespace Ioxide.Pg.Tests;

/// <summary>The fixture passes a test that closed its connections, and fails one that left one.</summary>
public class PgFixtureTests
{
    [Fact]
    public async Task EndsWhatItOwnsTheLastFirst()
    {
        var order = new List<int>();
        await using (var fixture = new PgFixture())
        {
            fixture.Own(new Noted(() => order.Add(1)));
            fixture.Own(new Noted(() => order.Add(2)));
            await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture.Reactors);
            Assert.Equal(1, fixture.Connections);
        }

        Assert.Equal([2, 1], order);
    }

    [Fact]
    public async Task FailsWhereAConnectionIsLeft()
    {
        var fixture = new PgFixture();
        fixture.Reactors.Patience = 200.Milliseconds();
        LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture.Reactors);
        AggregateException failure = await Assert.ThrowsAsync<AggregateException>(() => fixture.DisposeAsync().AsTask());
        pair.Client.Dispose();
        Assert.Contains(failure.InnerExceptions, problem => problem.Message.Contains("closed by its owner", StringComparison.Ordinal));
    }

    private sealed class Noted(Action dispose) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            dispose();
            return ValueTask.CompletedTask;
        }
    }
}
