using System.Diagnostics;
using System.Globalization;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Files;

/// <summary>Answers a GET or HEAD for a known file in the pipeline.</summary>
[ApplicationSide]
internal static class FileResponse
{
    // "bytes ", three numbers of up to 19 digits, and what is between them.
    private const int MaxContentRangeChars = 6 + (3 * 19) + 2;

    internal static Task WriteAsync(HttpContext context, FileSite site, FileEntry entry)
    {
        FileDecision decision = FileDecision.Make(FileRequest.Of(context.Request), entry, site.Options.MaxRanges);
        if (decision.Variant is { IsOnDisk: true } variant)
        {
            return WriteFromDiskAsync(context, site, variant);
        }

        site.Counters.CountHit(decision.Outcome == FileOutcome.NotModified);
        return !WriteHead(context, decision) ? Task.CompletedTask
            : decision.Parts is null ? WriteFromMemoryAsync(context, site, decision.Variant!, decision.Range)
            : WritePartsAsync(context, site, decision);
    }

    /// <summary>Allocates nothing if it does not have to wait.</summary>
    private static Task WriteFromMemoryAsync(HttpContext context, FileSite site, FileVariant variant, ByteRange range)
    {
        if (range.Length == 0)
        {
            return Task.CompletedTask;
        }

        ReadOnlyMemory<byte> bytes = variant.Body.Bytes.Slice((int)range.Start, (int)range.Length);
        ValueTask<FlushResult> written = BodyBytes.WriteAsync(context, bytes, site.Counters);
        if (!written.IsCompletedSuccessfully)
        {
            return WaitAsync(written, variant);
        }

        _ = written.Result;

        // What was copied was read through a pointer, which the collector does not follow.
        GC.KeepAlive(variant);
        return Task.CompletedTask;
    }

    private static async Task WaitAsync(ValueTask<FlushResult> written, FileVariant variant)
    {
        await written;
        GC.KeepAlive(variant);
    }

    private static Task WritePartsAsync(HttpContext context, FileSite site, FileDecision decision) => MultipartBody.WriteAsync(
        context, decision.Variant!, decision.Parts!, range => WriteFromMemoryAsync(context, site, decision.Variant!, range));

    /// <summary>Opens the file first, because what it is now decides, not what it was when the folder was read.</summary>
    private static async Task WriteFromDiskAsync(HttpContext context, FileSite site, FileVariant known)
    {
        using DiskFile? disk = await Task.Run(() => site.OpenOnDisk(known));
        if (disk is null)
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        FileDecision decision = FileDecision.Make(FileRequest.Of(context.Request), disk.Variant, site.Options.MaxRanges);
        site.Counters.CountHit(decision.Outcome == FileOutcome.NotModified);
        if (WriteHead(context, decision))
        {
            await DiskBody.WriteAsync(context, site, decision, disk.File);
        }
    }

    /// <summary>Sets status and fields.</summary>
    /// <returns>Whether a body follows.</returns>
    private static bool WriteHead(HttpContext context, in FileDecision decision)
    {
        HttpResponse response = context.Response;
        FileOutcome outcome = decision.Outcome;
        response.StatusCode = outcome switch
        {
            FileOutcome.Whole => StatusCodes.Status200OK,
            FileOutcome.Part or FileOutcome.Parts => StatusCodes.Status206PartialContent,
            FileOutcome.NotModified => StatusCodes.Status304NotModified,
            FileOutcome.PreconditionFailed => StatusCodes.Status412PreconditionFailed,
            FileOutcome.Unsatisfiable => StatusCodes.Status416RangeNotSatisfiable,
            _ => StatusCodes.Status406NotAcceptable,
        };
        if (decision.Variant is not { } variant)
        {
            response.Headers.Vary = StringValues.Concat(response.Headers.Vary, HeaderNames.AcceptEncoding);
            return false;
        }

        bool hasBody = outcome is FileOutcome.Whole or FileOutcome.Part or FileOutcome.Parts;
        AddFields(response, variant, hasBody ? variant.Shared.All
            : outcome == FileOutcome.NotModified ? variant.Shared.NotModified
            : variant.Shared.Failed);
        response.ContentLength = outcome is FileOutcome.Whole or FileOutcome.Part ? decision.Range.Length : null;
        if (outcome is FileOutcome.Part or FileOutcome.Unsatisfiable)
        {
            response.Headers.ContentRange = outcome == FileOutcome.Part
                ? ContentRange(decision.Range, variant.Length)
                : string.Create(CultureInfo.InvariantCulture, $"bytes */{variant.Length}");
        }

        return hasBody && !HttpMethods.IsHead(context.Request.Method);
    }

    /// <summary>Source: RFC 9110, section 14.4.</summary>
    internal static string ContentRange(ByteRange range, long length)
    {
        // Interpolation would box each number until it is compiled for good.
        Span<char> text = stackalloc char[MaxContentRangeChars];
        const string Unit = "bytes ";
        Unit.CopyTo(text);
        int end = Unit.Length;
        Append(range.Start, text, ref end);
        text[end++] = '-';
        Append(range.Last, text, ref end);
        text[end++] = '/';
        Append(length, text, ref end);
        return new string(text[..end]);

        static void Append(long number, Span<char> text, ref int end)
        {
            bool fits = number.TryFormat(text[end..], out int written, provider: CultureInfo.InvariantCulture);
            Debug.Assert(fits);
            end += written;
        }
    }

    private static void AddFields(HttpResponse response, FileVariant variant, ReadOnlySpan<KeyValuePair<string, StringValues>> fields)
    {
        IHeaderDictionary headers = response.Headers;
        headers.ETag = variant.ETag;
        headers.LastModified = variant.LastModifiedText;
        foreach ((string name, StringValues value) in fields)
        {
            headers[name] = SharedFields.IsVary(name) ? StringValues.Concat(headers.Vary, value) : value;
        }
    }
}
