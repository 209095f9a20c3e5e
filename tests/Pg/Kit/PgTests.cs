namespace Ioxide.Pg.Tests;

/// <summary>Tests of the driver. Each has reactors of its own, which end, and are checked, behind everything else of the test.</summary>
public abstract class PgTests : IAsyncLifetime
{
    private readonly Lazy<PgFixture> _fixture;

    private protected PgTests(Action<ReactorOptions>? configure = null) => _fixture = new(() => new PgFixture(configure));

    private protected PgFixture Fixture => _fixture.Value;

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
