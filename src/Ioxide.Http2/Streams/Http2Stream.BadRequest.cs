using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2;

/// <summary>Why the server refused the request: what features and diagnostic listeners see, under Kestrel's names.</summary>
internal abstract partial class Http2Stream : IBadRequestExceptionFeature
{
    private const string BadRequestEvent = "Microsoft.AspNetCore.Server.Kestrel.BadRequest";

    private BadHttpRequestException? _badRequest;

    Exception? IBadRequestExceptionFeature.Error => _badRequest;

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Listeners take the value as the features that it is.")]
    private void Refuse(BadHttpRequestException reason)
    {
        _badRequest = reason;
        if (Connection.Diagnostics is { } diagnostics && diagnostics.IsEnabled(BadRequestEvent))
        {
            diagnostics.Write(BadRequestEvent, this);
        }
    }
}
