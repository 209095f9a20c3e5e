using BenchmarkDotNet.Attributes;

namespace Ioxide.Benchmarks;

/// <summary>A post to a reactor and back: the calling thread wakes it and waits; and a post of the reactor to itself.</summary>
public class ReactorBenchmarks : IDisposable
{
    private const int OwnPosts = 1000;

    private static readonly Action<object?> s_set = static signal => ((ManualResetEventSlim)signal!).Set();
    private static readonly Action<object?> s_nothing = static _ => { };
    private static readonly Action<object?> s_posts = static benchmarks => ((ReactorBenchmarks)benchmarks!).PostOwn();

    private readonly ManualResetEventSlim _signal = new();
    private ReactorGroup _group = null!; // Set before a benchmark runs.

    internal Reactor Reactor => _group.Reactors[0];

    [GlobalSetup]
    public void Start() => _group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });

    [GlobalCleanup]
    public void Dispose()
    {
        _group.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _signal.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>One post from another thread, until it has run.</summary>
    [Benchmark]
    public void PostAndWait()
    {
        _signal.Reset();
        _group.Reactors[0].Post(s_set, _signal);
        _signal.Wait();
    }

    /// <summary>One of 1,000 posts that a reactor makes to itself, until all have run.</summary>
    [Benchmark(OperationsPerInvoke = OwnPosts)]
    public void PostToItself()
    {
        _signal.Reset();
        _group.Reactors[0].Post(s_posts, this);
        _signal.Wait();
    }

    private void PostOwn()
    {
        Reactor reactor = _group.Reactors[0];
        for (int post = 0; post < OwnPosts - 1; post++)
        {
            reactor.Post(s_nothing, null);
        }

        reactor.Post(s_set, _signal);
    }
}
