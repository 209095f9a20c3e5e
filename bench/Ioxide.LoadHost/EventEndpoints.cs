namespace Ioxide.LoadHost;

/// <summary>Server-sent events: what is published goes to every listener.</summary>
internal static class EventEndpoints
{
    internal static void MapEvents(this IEndpointRouteBuilder routes)
    {
        var hub = new EventHub();
        routes.MapGet("/sse", (CancellationToken cancellation) => TypedResults.ServerSentEvents(hub.ListenAsync(cancellation)));
        routes.MapPost("/sse/{id:int}", (int id) => hub.Publish($"event {id}"));
    }
}
