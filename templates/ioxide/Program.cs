WebApplicationBuilder builder = WebApplication.CreateBuilder(args);

// Kestrel's connections are served by reactors on io_uring, or on epoll where the host refuses it; one log line says which and why.
builder.WebHost.UseIoxide();
builder.Services.AddHealthChecks().AddIoxide(tags: ["live"]).AddIoxideReadiness(tags: ["ready"]);

WebApplication app = builder.Build();

// Handlers run on the reactors: await, and do not block.
app.MapGet("/", () => "Hello from Ioxide");
app.MapHealthChecks("/live", new() { Predicate = check => check.Tags.Contains("live") });
app.MapHealthChecks("/ready", new() { Predicate = check => check.Tags.Contains("ready") });

// `dotnet run -- --ioxide-check` says what this machine offers, and what to do about the rest.
if (app.RunIoxideCheckIfAsked(args))
{
    return;
}

app.Run();
