namespace Ioxide.Pg.Tests;

/// <summary>Tests that compare the facade with Npgsql, in the database of their class.</summary>
public abstract class PairTests : PgTests
{
    private readonly string _script;
    private DataPair? _pair;

    /// <summary>A pair behind a script, on 2 reactors or as <paramref name="configure"/> says.</summary>
    private protected PairTests(string script = "select 1", Action<ReactorOptions>? configure = null) : base(configure) => _script = script;

    private protected DataPair Pair => _pair!; // From the start.

    public override async ValueTask InitializeAsync() => _pair = Fixture.Own(await DataPair.OpenAsync(GetType(), Fixture, _script));
}
