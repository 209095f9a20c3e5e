namespace Ioxide.LoadHost;

/// <summary>Small replies that differ in how the application produces them.</summary>
internal static class SmallReplyEndpoints
{
    private const string Text = "Hello, World!";

    private static readonly byte[] s_textBytes = "Hello, World!"u8.ToArray();

    internal static void MapSmallReplies(this IEndpointRouteBuilder routes)
    {
        // A string result has no Content-Length: Kestrel sends it chunked and flushes twice.
        routes.MapGet("/plaintext", static () => Text);
        routes.MapGet("/json", static () => new Greeting(Text));
        routes.MapGet("/fixed", static (HttpContext context) => WriteFixedAsync(context.Response));

        // Both go on off the thread that read the request, which costs a transport the way back.
        routes.MapGet("/yield", static async () =>
        {
            await Task.Yield();
            return Text;
        });
        routes.MapGet("/delay", static () => WaitAsync(1));
        routes.MapGet("/wait", static () => WaitAsync(10));
    }

    private static async Task<string> WaitAsync(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return Text;
    }

    private static Task WriteFixedAsync(HttpResponse response)
    {
        response.ContentType = "text/plain";
        response.ContentLength = s_textBytes.Length;
        return response.Body.WriteAsync(s_textBytes).AsTask();
    }
}
