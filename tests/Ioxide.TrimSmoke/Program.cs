using Database;
using Ioxide.TrimSmoke;

// A host that is published trimmed and self-contained: it serves itself requests, with and without a database, and ends with 0.
PrivatePostgres? postgres = PrivatePostgres.Missing is null ? await PrivatePostgres.StartAsync() : null;
await using PrivatePostgres? untilTheEnd = postgres;

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
builder.WebHost.UseIoxide(static options => options.RequireIoUring = true);
builder.WebHost.UseUrls("http://127.0.0.1:0");
if (postgres is not null)
{
    builder.Services.AddIoxidePg(postgres.ConnectionString);
}

builder.Services.AddHealthChecks().AddIoxide();
await using WebApplication app = builder.Build();
app.MapGet("/hello", static (HttpContext context) => context.Response.WriteAsync("hello"));
app.MapHealthChecks("/health");
app.MapIoxideDashboard();
app.MapDatabase();
await app.StartAsync();

using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
List<(string Path, string Expected)> requests = [("/hello", "hello"), ("/health", "Healthy")];
if (postgres is not null)
{
    requests.AddRange(DatabaseEndpoints.Expected);
}
else
{
    Console.WriteLine($"skipped: no request to a database, for {PrivatePostgres.Missing}");
}

int failed = 0;
foreach ((string path, string expected) in requests)
{
    string answer = await client.GetStringAsync(path);
    bool isRight = answer == expected;
    failed += isRight ? 0 : 1;
    Console.WriteLine(isRight ? $"ok: {path}" : $"FAILED: {path}: '{answer}' instead of '{expected}'");
}

using (var events = new StreamReader(await client.GetStreamAsync("/ioxide/events")))
{
    await events.ReadLineAsync();
    string data = await events.ReadLineAsync() ?? "";
    bool isRight = data.StartsWith("data: {", StringComparison.Ordinal) && data.Contains("\"reactors\":[{", StringComparison.Ordinal);
    failed += isRight ? 0 : 1;
    Console.WriteLine(isRight ? "ok: /ioxide/events" : $"FAILED: /ioxide/events: '{data}'");
}

await app.StopAsync();
return failed == 0 ? 0 : 1;
