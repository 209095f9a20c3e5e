namespace Ioxide.Tests;

/// <summary>A reactor keeps one object of a type for the code that runs on it, and only for that.</summary>
public class ServiceTests : ReactorTests
{
    [Fact]
    public async Task EachReactorHasItsOwn()
    {
        foreach (Reactor reactor in Fixture.Reactors)
        {
            await reactor.RunAsync(() => reactor.AddService(new Counter(reactor.Id))).Within(20.Seconds());
        }

        foreach (Reactor reactor in Fixture.Reactors)
        {
            Counter? counter = await reactor.RunAsync(reactor.GetService<Counter>).Within(20.Seconds());
            Assert.Equal(reactor.Id, counter?.ReactorId);
            Assert.Null(await reactor.RunAsync(reactor.GetService<string>).Within(20.Seconds()));
        }
    }

    [Fact]
    public async Task OnlyCodeOnTheReactorMayUseThem()
    {
        Assert.Throws<InvalidOperationException>(() => Fixture[0].AddService("text"));
        Assert.Throws<InvalidOperationException>(() => Fixture[0].GetService<string>());
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => Fixture[1].RunAsync(() => Fixture[0].GetService<string>()).Within(20.Seconds()));
        Assert.Contains("reactor 0", exception.Message, StringComparison.Ordinal);
        Assert.Null(await Fixture[0].RunAsync(Fixture[0].GetService<string>).Within(20.Seconds()));
    }

    [Fact]
    public async Task ASecondOfTheSameTypeIsRefusedAndTheFirstStays()
    {
        Reactor reactor = Fixture[0];
        await reactor.RunAsync(() => reactor.AddService("first")).Within(20.Seconds());

        await Assert.ThrowsAsync<InvalidOperationException>(() => reactor.RunAsync(() => reactor.AddService("second")).Within(20.Seconds()));
        await Assert.ThrowsAsync<ArgumentNullException>(() => reactor.RunAsync(() => reactor.AddService<Counter>(null!)).Within(20.Seconds()));
        Assert.Equal("first", await reactor.RunAsync(reactor.GetService<string>).Within(20.Seconds()));
    }

    [Fact]
    public async Task IsDisposedOnceOnItsReactorWhenThatEnds()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        Counter[] counters = [new(0), new(1)];
        foreach (Reactor reactor in fixture.Reactors)
        {
            await reactor.RunAsync(() => reactor.AddService(counters[reactor.Id])).Within(20.Seconds());
        }

        Assert.All(counters, counter => Assert.Empty(counter.DisposedOn));
        await fixture.DisposeAsync();
        Assert.All(counters, counter => Assert.Equal([counter.ReactorId], counter.DisposedOn));
    }

    [Fact]
    public async Task OneThatThrowsWhenItIsDisposedIsReportedAndTheProcessGoesOn()
    {
        (int status, string output) = await ChildProcess.RunAsync("service-throws");

        Assert.True(status == 0, output);
        Assert.Equal("reported 1\ndone\n", output);
    }

    private sealed class Counter(int reactorId) : IDisposable
    {
        internal int ReactorId => reactorId;

        internal List<int> DisposedOn { get; } = [];

        public void Dispose() => DisposedOn.Add(Reactor.Current?.Id ?? -1);
    }
}
