using Ioxide.Files;
using Ioxide.Files.Sample;

// What the build runs: it puts the files and their coded siblings into the output folder.
if (args is ["--precompress", string source, string target])
{
    Siblings.Make(source, target);
    return;
}

const string Usage = """
    usage: dotnet run -c Release --project samples/Files -- [options]
      --urls URLS       where to listen. Defaults to http://localhost:5000
      --ioxide-check    says what this machine offers, and serves nothing
      --Ioxide:KEY=VALUE  an option of docs/options.md
    """;

if (Arguments.Read(args, Usage) is null)
{
    return;
}

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseIoxide();
builder.Services.AddIoxideFiles();

// A line per request would hide what is said at start.
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);

WebApplication app = builder.Build();

// The files need no middleware behind routing: ShortCircuit() ends their requests there.
app.MapIoxideFiles("/", Path.Combine(AppContext.BaseDirectory, "site"), static options =>
{
    // Names with a fingerprint never change their content; a browser need not ask again.
    options.IsImmutable = static path => path.StartsWith("assets/", StringComparison.Ordinal);
    options.Headers["X-Content-Type-Options"] = "nosniff";
}).ShortCircuit();
app.MapGet("/api/statistics", static (IoxideFiles files) => files.GetStatistics());

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();
