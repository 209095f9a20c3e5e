using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;

namespace Ioxide.LoadServer;

/// <summary>Requests that are in flight until the test says so.</summary>
internal static class Holding
{
    private static readonly TaskCompletionSource s_released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private static int s_silentCount;

    /// <summary>Sends the first half of the key's bytes, and the rest when released.</summary>
    internal static async Task HoldAnswerAsync(HttpContext context)
    {
        byte[] bytes = new byte[(int)Endpoints.Number(context, "length")];
        Payload.Fill(bytes, Endpoints.Number(context, "key"), 0);
        context.Response.ContentLength = bytes.Length;
        PipeWriter output = context.Response.BodyWriter;
        await output.WriteAsync(bytes.AsMemory(0, bytes.Length / 2), context.RequestAborted);
        await s_released.Task.WaitAsync(context.RequestAborted);
        await output.WriteAsync(bytes.AsMemory(bytes.Length / 2), context.RequestAborted);
    }

    /// <summary>Says nothing before it is released.</summary>
    internal static async Task HoldSilentAsync(HttpContext context)
    {
        Interlocked.Increment(ref s_silentCount);
        await s_released.Task.WaitAsync(context.RequestAborted);
        await Endpoints.TextAsync(context, "released");
    }

    /// <summary>How many say nothing so far.</summary>
    internal static Task CountSilentAsync(HttpContext context) => Endpoints.TextAsync(context, $"{Volatile.Read(ref s_silentCount)}");

    internal static Task ReleaseAsync(HttpContext context)
    {
        s_released.TrySetResult();
        return Endpoints.TextAsync(context, "released");
    }
}
