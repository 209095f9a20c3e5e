using Xunit;

namespace Ioxide.TestKit;

/// <summary>Tests with reactors of their own, which end, and are checked, behind everything else of the test.</summary>
public abstract class ReactorTests : IAsyncLifetime
{
    private readonly Lazy<ReactorFixture> _fixture;

    /// <summary>With 2 reactors, or as <paramref name="configure"/> says.</summary>
    protected ReactorTests(Action<ReactorOptions>? configure = null) => _fixture = new(() => ReactorFixture.Start(configure));

    /// <summary>Started by the first who asks.</summary>
    internal ReactorFixture Fixture => _fixture.Value;

    /// <summary>For a class that needs one reactor.</summary>
    protected static void OneReactor(ReactorOptions options) => options.ReactorCount = 1;

    public virtual ValueTask InitializeAsync() => default;

    public virtual async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_fixture.IsValueCreated)
        {
            await Fixture.DisposeAsync();
        }
    }
}
