namespace Ioxide.Pg.Tests;

/// <summary>Tests that ask one data source, in the database of their class.</summary>
public abstract class SourceTests : PgTests
{
    private readonly Lazy<PgDataSource> _db;
    private string _database = "";
    private PostgresServer? _server;

    /// <summary>On 2 reactors with the defaults, or with one connection on one reactor.</summary>
    private protected SourceTests(bool hasOneConnection) : base(hasOneConnection ? TestDatabase.OneReactor : null) => _db = new(() => hasOneConnection
            ? TestDatabase.Open(Fixture, _server!.Port, TestDatabase.OneConnection, _database)
            : Databases.Open(Fixture, _server!, _database));

    private protected PgDataSource Db => _db.Value;

    public override async ValueTask InitializeAsync()
    {
        _server = await PostgresServer.SharedAsync();
        _database = await _server.DatabaseAsync(GetType());
    }
}
