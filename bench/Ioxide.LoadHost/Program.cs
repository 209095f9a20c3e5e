using Ioxide.LoadHost;
using Microsoft.AspNetCore.Server.Kestrel.Core;

LoadHostOptions options;
// The host watches the folder that it is started in, and all below it, for changes of its configuration: that folder may be the one
// into which the load writes.
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
try
{
    options = LoadHostOptions.Parse(args);
    TransportChoices.Apply(builder.WebHost, options);
}
catch (ArgumentException exception)
{
    Console.Error.WriteLine(exception.Message);
    Console.Error.WriteLine(LoadHostOptions.Usage);
    return 2;
}

builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.Services.ConfigureHttpJsonOptions(
    static json => json.SerializerOptions.TypeInfoResolverChain.Insert(0, LoadJsonContext.Default));
if (options.Https)
{
    builder.WebHost.UseKestrelHttpsConfiguration();
}

var https = new HttpsChoice(options);
builder.WebHost.ConfigureKestrel(kestrel =>
{
    kestrel.Limits.MaxRequestBodySize = null;
    kestrel.Listen(options.Address, options.Port, static listen => listen.Protocols = HttpProtocols.Http1);
    if (options.Https)
    {
        kestrel.Listen(options.Address, options.HttpsPort, https.Use);
    }

    if (options.Http2)
    {
        kestrel.Listen(options.Address, options.Http2Port, static listen => listen.Protocols = HttpProtocols.Http2);
    }
});

builder.WebHost.UseHttp2(options);
builder.Services.AddGrpc();
builder.Services.AddDatabase(options);
builder.Services.AddCompression(options);
builder.Services.AddUpstream(options);
builder.AddFiles(options);
builder.Services.AddOrdinaryMiddleware(options);
WebApplication app = builder.Build();
app.UseOrdinaryMiddleware(options);
app.UseCompression(options);
app.MapSmallReplies();
app.MapSums();
app.MapItemList();
app.MapEvents();
app.MapBodies();
app.MapUpstream(options);
app.MapWebSocketEcho();
app.MapDatabase(options);
app.MapFiles(options);
app.MapGrpcService<GrpcService>();
app.MapStats();

await app.StartAsync();
Console.WriteLine(
    $"ready transport={RunningTransport.OfProcess(app.Services)} port={options.Port} pid={Environment.ProcessId}");
await app.WaitForShutdownAsync();
return 0;
