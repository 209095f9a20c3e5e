using Microsoft.AspNetCore.Http;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Request handlers that several tests share.</summary>
internal static class Handlers
{
    /// <summary>Reads the whole body, then answers with it and its length.</summary>
    internal static async Task EchoAsync(HttpContext context)
    {
        using MemoryStream body = new();
        await context.Request.Body.CopyToAsync(body);
        context.Response.ContentLength = body.Length;
        await context.Response.Body.WriteAsync(body.GetBuffer().AsMemory(0, (int)body.Length));
    }

    /// <summary>Answers with the path, with a length.</summary>
    internal static Task PathAsync(HttpContext context) => TextAsync(context, context.Request.Path.Value!);

    internal static Task TextAsync(HttpContext context, string text)
    {
        context.Response.ContentLength = text.Length;
        return context.Response.WriteAsync(text);
    }
}
