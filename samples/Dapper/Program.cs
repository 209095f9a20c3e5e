using System.Data.Common;
using Dapper;
using DapperSample;
using Ioxide.Pg;

const string Usage = """
    usage: dotnet run -c Release --project samples/Dapper -- [options] [CONNECTION STRING]
      --urls URLS       where to listen. Defaults to http://localhost:5000
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    Without a connection string it starts a PostgreSQL of its own, whose table ends with it.
    """;

if (Arguments.Read(args, Usage, mostWords: 1) is not { } arguments || !arguments.TryConnectionString(out string? connectionString))
{
    return;
}

await using PrivatePostgres? own = connectionString is null ? await PrivatePostgres.TryStartAsync() : null;
if ((connectionString ?? own?.ConnectionString ?? (arguments.Has("--ioxide-check") ? PrivatePostgres.NoServer : null)) is not { } database)
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder([.. args.Where(word => word != connectionString)]);
builder.WebHost.UseIoxide();
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);

// The pools, one per reactor, and what libraries of ADO.NET ask for.
builder.Services.AddIoxidePg(database);
builder.Services.AddSingleton<DbDataSource>(static services => services.GetRequiredService<PgDataSource>().AsDbDataSource());

await using WebApplication app = builder.Build();
app.MapGet("/notes", static async (DbDataSource source, CancellationToken cancellation) =>
{
    await using DbConnection connection = await source.OpenConnectionAsync(cancellation);
    return await connection.QueryAsync<Note>(new CommandDefinition("select id, text from notes order by id", cancellationToken: cancellation));
});
app.MapPost("/notes", static async (NewNote note, DbDataSource source, CancellationToken cancellation) =>
{
    await using DbConnection connection = await source.OpenConnectionAsync(cancellation);
    return await connection.QuerySingleAsync<Note>(
        new CommandDefinition("insert into notes (text) values (@Text) returning id, text", note, cancellationToken: cancellation));
});

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

await using (DbConnection connection = await app.Services.GetRequiredService<DbDataSource>().OpenConnectionAsync())
{
    // One instance after the other: two that make a table at once would both find that it is not there yet.
    await using DbTransaction transaction = await connection.BeginTransactionAsync();
    await connection.ExecuteAsync("select pg_advisory_xact_lock(hashtext('notes'))", transaction: transaction);
    await connection.ExecuteAsync(
        "create table if not exists notes (id int generated always as identity primary key, text text not null)", transaction: transaction);
    await transaction.CommitAsync();
}

await app.RunAsync();
