using Database;

// An application on io_uring whose database connections live on the same rings.
//   dotnet run -c Release --project samples/Database -- [CONNECTION STRING] [--urls http://127.0.0.1:5000]
// Without a connection string (argument, IOXIDE_DATABASE or ConnectionStrings:Database) it starts a PostgreSQL of its own.
string? argument = args.FirstOrDefault(static word => word.StartsWith("postgres", StringComparison.Ordinal)
    || (word.Contains('=', StringComparison.Ordinal) && !word.StartsWith('-')));
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
    if (PrivatePostgres.Missing is { } missing)
    {
        Console.Error.WriteLine($"There is no connection string, and no PostgreSQL can be started: {missing}");
        return 1;
    }

    postgres = await PrivatePostgres.StartAsync();
    connectionString = postgres.ConnectionString;
}

// It outlives the application, whose data source is disposed with the host.
await using PrivatePostgres? untilTheEnd = postgres;

// The pools: one a reactor. Handlers ask for a PgDataSource.
builder.Services.AddIoxidePg(connectionString);
builder.Services.AddHostedService<Tables>();

await using WebApplication app = builder.Build();
if (postgres is not null)
{
    DatabaseLog.Started(app.Logger, postgres.Folder, postgres.Port);
}

app.MapWorld();
app.MapFortunes();
app.MapItems();

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return Environment.ExitCode;
}

await app.RunAsync();
return 0;
