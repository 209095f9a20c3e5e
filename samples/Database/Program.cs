using Database;
using Ioxide.Pg;

// An application on io_uring whose database connections live on the same rings.
const string Usage = """
    usage: dotnet run -c Release --project samples/Database -- [options] [CONNECTION STRING]
      --urls URLS       where to listen. Defaults to http://localhost:5000
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    Without a connection string, IOXIDE_DATABASE or ConnectionStrings:Database it starts a PostgreSQL of its own.
    """;

if (Arguments.Read(args, Usage, mostWords: 1) is not { } arguments || !arguments.TryConnectionString(out string? argument))
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder([.. args.Where(word => word != argument)]);
builder.WebHost.UseIoxide();
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
builder.Services.ConfigureHttpJsonOptions(
    static json => json.SerializerOptions.TypeInfoResolverChain.Insert(0, DatabaseJson.Default));

string? connectionString = argument
    ?? Environment.GetEnvironmentVariable("IOXIDE_DATABASE")
    ?? builder.Configuration.GetConnectionString("Database");
PrivatePostgres? postgres = null;
if (connectionString is null)
{
    postgres = await PrivatePostgres.TryStartAsync();
    if (postgres is null && !arguments.Has("--ioxide-check"))
    {
        return;
    }

    connectionString = postgres?.ConnectionString ?? PrivatePostgres.NoServer;
}

// It outlives the application, whose data source is disposed with the host.
await using PrivatePostgres? untilTheEnd = postgres;

// The pools: one a reactor. Handlers ask for a PgDataSource.
builder.Services.AddIoxidePg(connectionString);
builder.Services.AddHostedService<Tables>();

// Whether the reactors turn. A process that is only short of processors is alive: a restart would make it shorter.
builder.Services.AddHealthChecks().AddIoxide();

builder.Services.AddProblemDetails();

await using WebApplication app = builder.Build();
if (postgres is not null)
{
    DatabaseLog.Started(app.Logger, postgres.Folder, postgres.Port);
}

// More callers than QueueLimit wait for a connection: that is load, and no fault of the application.
app.UseExceptionHandler(new ExceptionHandlerOptions
{
    StatusCodeSelector = static error => error is PgPoolExhaustedException ? StatusCodes.Status503ServiceUnavailable : StatusCodes.Status500InternalServerError,
});

app.MapGet("/", static () => TypedResults.Content(
    """
    <!doctype html>
    <title>Ioxide and PostgreSQL</title>
    <h1>PostgreSQL on the reactors</h1>
    <ul>
      <li><a href="/db">/db</a>: a row by its key
      <li><a href="/queries?n=3">/queries?n=3</a>: several, 1 to 500, all on their way at once
      <li><a href="/fortunes">/fortunes</a>: a table as a page
      <li><a href="/async-db?min=10&amp;max=50">/async-db?min=10&amp;max=50</a>: 50 rows by price, as JSON
      <li><a href="/items?category=Category%201&amp;page=0">/items?category=Category 1&amp;page=0</a>: a page of rows; POST adds one
      <li><a href="/items/1">/items/1</a>: one row; PUT changes it, DELETE removes it
      <li><a href="/export">/export</a>: all 100,000 rows, streamed
      <li><a href="/live">/live</a>: whether the reactors turn, for an orchestrator
    </ul>
    """,
    "text/html; charset=utf-8"));
app.MapWorld();
app.MapFortunes();
app.MapItems();
app.MapHealthChecks("/live");

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

await app.RunAsync();
