using System.Globalization;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Ioxide.Files;

/// <summary>Answers a GET or HEAD for a known file in the pipeline.</summary>
internal static class FileResponse
{
    internal static Task WriteAsync(HttpContext context, FileSite site, FileEntry entry)
    {
        FileDecision decision = Decide(context.Request, site, entry);
        if (decision.Variant is { IsOnDisk: true } variant)
        {
            return WriteFromDiskAsync(context, site, variant);
        }

        site.Counters.CountHit(decision.Outcome == FileOutcome.NotModified);
        return WriteHead(context, decision) ? MemoryBody.WriteAsync(context, site, decision) : Task.CompletedTask;
    }

    /// <summary>Opens the file first, because what it is now decides, not what it was when the folder was read.</summary>
    private static async Task WriteFromDiskAsync(HttpContext context, FileSite site, FileVariant known)
    {
        using DiskFile? disk = await Task.Run(() => site.OpenOnDisk(known));
        if (disk is null)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            context.Response.ContentLength = 0;
            return;
        }

        FileDecision decision = Decide(context.Request, site, disk.Variant);
        site.Counters.CountHit(decision.Outcome == FileOutcome.NotModified);
        if (WriteHead(context, decision))
        {
            await DiskBody.WriteAsync(context, site, decision, disk.File);
        }
    }

    [SkipLocalsInit]
    private static FileDecision Decide(HttpRequest request, FileSite site, FileEntry entry)
    {
        Span<byte> scratch = stackalloc byte[RequestHeaders.ScratchBytes];
        return FileDecision.Make(RequestHeaders.Read(request, scratch), entry, site.Options.MaxRanges);
    }

    [SkipLocalsInit]
    private static FileDecision Decide(HttpRequest request, FileSite site, FileVariant variant)
    {
        Span<byte> scratch = stackalloc byte[RequestHeaders.ScratchBytes];
        return FileDecision.Make(RequestHeaders.Read(request, scratch), variant, site.Options.MaxRanges);
    }

    /// <summary>Sets status and fields.</summary>
    /// <returns>Whether a body follows.</returns>
    private static bool WriteHead(HttpContext context, in FileDecision decision)
    {
        HttpResponse response = context.Response;
        switch (decision.Outcome)
        {
            case FileOutcome.Whole:
                AddFields(response, decision.Variant!);
                response.ContentLength = decision.Variant!.Length;
                break;
            case FileOutcome.Part:
                response.StatusCode = StatusCodes.Status206PartialContent;
                AddFields(response, decision.Variant!);
                response.ContentLength = decision.Range.Length;
                response.Headers.ContentRange = ContentRange(decision.Range, decision.Variant!.Length);
                break;
            case FileOutcome.Parts:
                response.StatusCode = StatusCodes.Status206PartialContent;
                AddFields(response, decision.Variant!);
                break;
            case FileOutcome.NotModified:
                response.StatusCode = StatusCodes.Status304NotModified;
                AddNotModifiedFields(response, decision.Variant!);
                return false;
            case FileOutcome.PreconditionFailed:
                response.StatusCode = StatusCodes.Status412PreconditionFailed;
                response.ContentLength = 0;
                AddNotModifiedFields(response, decision.Variant!);
                return false;
            case FileOutcome.Unsatisfiable:
                response.StatusCode = StatusCodes.Status416RangeNotSatisfiable;
                response.ContentLength = 0;
                AddNotModifiedFields(response, decision.Variant!);
                response.Headers.ContentRange = string.Create(CultureInfo.InvariantCulture, $"bytes */{decision.Variant!.Length}");
                return false;
            case FileOutcome.NotAcceptable:
            default:
                response.StatusCode = StatusCodes.Status406NotAcceptable;
                response.ContentLength = 0;
                response.Headers.Vary = StringValues.Concat(response.Headers.Vary, Microsoft.Net.Http.Headers.HeaderNames.AcceptEncoding);
                return false;
        }

        return !HttpMethods.IsHead(context.Request.Method);
    }

    /// <summary>Source: RFC 9110, section 14.4.</summary>
    internal static string ContentRange(ByteRange range, long length)
        => string.Create(CultureInfo.InvariantCulture, $"bytes {range.Start}-{range.Last}/{length}");

    private static void AddFields(HttpResponse response, FileVariant variant)
        => AddFields(response, variant.Fields);

    private static void AddNotModifiedFields(HttpResponse response, FileVariant variant)
        => AddFields(response, variant.Fields.AsSpan(0, FieldSet.CountOfNotModified(variant.Fields)));

    private static void AddFields(HttpResponse response, ReadOnlySpan<KeyValuePair<string, StringValues>> fields)
    {
        IHeaderDictionary headers = response.Headers;
        foreach ((string name, StringValues value) in fields)
        {
            headers[name] = name == Microsoft.Net.Http.Headers.HeaderNames.Vary
                ? StringValues.Concat(headers.Vary, value)
                : value;
        }
    }
}
