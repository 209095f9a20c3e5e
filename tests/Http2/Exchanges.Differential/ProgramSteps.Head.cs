using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace Ioxide.Http2.Tests;

/// <summary>The answer's head and trailers, and the request as a whole.</summary>
internal sealed partial class ProgramSteps
{
    private string SetHead(Step step)
    {
        switch (step.Kind)
        {
            case StepKind.Status:
                Response.StatusCode = step.Number;
                return string.Create(CultureInfo.InvariantCulture, $"{Response.StatusCode}");
            case StepKind.Reason:
                context.Features.GetRequiredFeature<IHttpResponseFeature>().ReasonPhrase = step.Text;
                return "";
            case StepKind.Field:
                Response.Headers[step.Text] = step.Value;
                return Fields;
            case StepKind.FieldAppend:
                Response.Headers.Append(step.Text, step.Value);
                return Fields;
            case StepKind.FieldRemove:
                return $"{Response.Headers.Remove(step.Text)} {Fields}";
            case StepKind.FieldsClear:
                Response.Headers.Clear();
                return Fields;
            case StepKind.Length:
                Response.ContentLength = step.Number;
                return $"{Response.ContentLength}";
            case StepKind.Cookie:
                Response.Cookies.Append("c", step.Number.ToString(CultureInfo.InvariantCulture));
                return Fields;
            case StepKind.Redirect:
                Response.Redirect(step.Text);
                return Fields;
            case StepKind.Clear:
                Response.Clear();
                return Fields;
            case StepKind.Trailer:
                Response.AppendTrailer(step.Text, step.Value);
                return "";
            case StepKind.DeclareTrailer:
                Response.DeclareTrailer(step.Text);
                return Fields;
            case StepKind.OnStarting:
                Response.OnStarting(() => Starting(step.Number));
                return "";
            case StepKind.OnCompleted:
                Response.OnCompleted(async () =>
                {
                    session.Note($"completed {step.Number}");
                    if (step.Number == 1)
                    {
                        throw new InvalidOperationException("The program wanted it.");
                    }

                    if (step.Number == 2)
                    {
                        Response.OnCompleted(() =>
                        {
                            session.Note("completed behind it");
                            return Task.CompletedTask;
                        });
                    }

                    await Task.Yield();
                });
                return "";
            default:
                Response.RegisterForDispose(new Disposed(session, step.Number));
                return "";
        }
    }

    private string Fields => string.Join('|', Response.Headers.Select(static pair => $"{pair.Key}={pair.Value.Count}").Order(StringComparer.OrdinalIgnoreCase));

    private async Task Starting(int kind)
    {
        session.Note(string.Create(CultureInfo.InvariantCulture, $"starting {kind} {Response.StatusCode} {Response.HasStarted}"));
        switch (kind)
        {
            case 0:
                Response.Headers["X-Starting"] = "1";
                break;
            case 1:
                throw new InvalidOperationException("The program wanted it.");
            case 2:
                Response.StatusCode = 202;
                await Task.Yield();
                break;
            case 3:
                Response.OnStarting(() => Starting(0));
                break;
            default:
                await Response.Body.WriteAsync("early"u8.ToArray());
                break;
        }
    }

    private async Task<string> DoAsync(Step step)
    {
        switch (step.Kind)
        {
            case StepKind.Abort:
                context.Abort();
                return await AbortedAsync(step);
            case StepKind.Reset:
                context.Features.GetRequiredFeature<IHttpResetFeature>().Reset(step.Number);
                return await AbortedAsync(step);
            case StepKind.MaxBody:
                {
                    IHttpMaxRequestBodySizeFeature feature = context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>();
                    bool isReadOnly = feature.IsReadOnly;
                    feature.MaxRequestBodySize = step.Number < 0 ? null : step.Number;
                    return $"{isReadOnly} {feature.MaxRequestBodySize}";
                }

            case StepKind.AllowSync:
                context.Features.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO = true;
                return "";
            case StepKind.Look:
                return string.Create(
                    CultureInfo.InvariantCulture,
                    $"{Response.StatusCode} {Response.HasStarted} {Response.Headers.IsReadOnly} {Response.ContentLength} {context.RequestAborted.IsCancellationRequested} "
                    + $"{Response.SupportsTrailers()} {Fields}");
            case StepKind.LookAtRequest:
                return string.Create(
                    CultureInfo.InvariantCulture,
                    $"{Request.Method} {Request.Protocol} {Request.Scheme} {Request.ContentLength} {Request.ContentType} {Request.Headers.Count} "
                    + $"{context.Features.GetRequiredFeature<IHttpRequestBodyDetectionFeature>().CanHaveBody} {Request.Body.CanRead} {Request.Body.CanSeek} {Request.Body.CanWrite} "
                    + $"{Response.Body.CanRead} {Response.Body.CanWrite} {Request.HasFormContentType}");
            case StepKind.LookAtTrailers:
                return !Request.SupportsTrailers() ? "unsupported"
                    : !Request.CheckTrailersAvailable() ? "not yet"
                    : $"{Request.GetTrailer("Sum")} {context.Features.GetRequiredFeature<IHttpRequestTrailersFeature>().Trailers.Count}";
            case StepKind.LookAtFeatures:
                return string.Join(' ', s_features.Select(feature => context.Features[feature] is null ? $"no {feature.Name}" : feature.Name));
            case StepKind.ReplaceFeature:
                return ReplaceFeature(step.Number);
            case StepKind.ReplaceResponseBody:
                {
                    Stream inner = Response.Body;
                    Response.Body = new PassThrough(inner);
                    return "";
                }

            case StepKind.ReplaceRequestBody:
                Request.Body = new MemoryStream(Pattern.Of(step.Number, _read));
                return "";
            case StepKind.Method:
                Request.Method = step.Text;
                return Request.Method;
            case StepKind.AbortedToken:
                return $"{context.RequestAborted.CanBeCanceled} {context.RequestAborted.IsCancellationRequested}";
            default:
                if (step.Number == 0)
                {
                    await Task.Yield();
                }
                else
                {
                    await Task.Delay(1);
                }

                return "";
        }
    }

    private static readonly Type[] s_features =
    [
        typeof(IHttpRequestFeature), typeof(IHttpResponseFeature), typeof(IHttpResponseBodyFeature), typeof(IRequestBodyPipeFeature), typeof(IHttpRequestIdentifierFeature),
        typeof(IHttpRequestLifetimeFeature), typeof(IHttpConnectionFeature), typeof(IHttpRequestTrailersFeature), typeof(IHttpResponseTrailersFeature),
        typeof(IHttpUpgradeFeature), typeof(IHttpResetFeature), typeof(IHttpMaxRequestBodySizeFeature), typeof(IHttpRequestBodyDetectionFeature),
        typeof(IHttpExtendedConnectFeature), typeof(IBadRequestExceptionFeature), typeof(IHttpBodyControlFeature), typeof(ITlsConnectionFeature),
        typeof(Microsoft.AspNetCore.Server.Kestrel.Core.Features.IHttp2StreamIdFeature),
        typeof(Microsoft.AspNetCore.Server.Kestrel.Core.Features.IHttpMinRequestBodyDataRateFeature),
        typeof(Microsoft.AspNetCore.Server.Kestrel.Core.Features.IHttpMinResponseDataRateFeature),
        typeof(Microsoft.AspNetCore.Connections.Features.IPersistentStateFeature), typeof(IItemsFeature), typeof(IQueryFeature), typeof(IFormFeature),
        typeof(IEndpointFeature), typeof(IRouteValuesFeature), typeof(IHttpWebSocketFeature), typeof(ISessionFeature),
        typeof(Microsoft.AspNetCore.Connections.Features.IConnectionIdFeature), typeof(Microsoft.AspNetCore.Connections.Features.IConnectionLifetimeFeature),
        typeof(Microsoft.AspNetCore.Connections.Features.IConnectionSocketFeature),
    ];

    private string ReplaceFeature(int which)
    {
        IFeatureCollection features = context.Features;
        switch (which)
        {
            case 0:
                features.Set<IHttpResponseBodyFeature>(
                    new StreamResponseBodyFeature(new PassThrough(Response.Body), features.GetRequiredFeature<IHttpResponseBodyFeature>()));
                return "";
            case 1:
                features.Set<IHttpResponseTrailersFeature>(new OwnTrailers());
                return $"{features.Get<IHttpResponseTrailersFeature>()!.Trailers.Count}";
            case 2:
                features.Set<IHttpMaxRequestBodySizeFeature>(null);
                return $"{features.Get<IHttpMaxRequestBodySizeFeature>() is null} {features.Revision > 0}";
            case 3:
                context.RequestAborted = new CancellationToken(canceled: true);
                return $"{context.RequestAborted.IsCancellationRequested}";
            default:
                features.Set<StringValues?>(new StringValues("1"));
                return $"{features.Get<StringValues?>()} {features.Any(static feature => feature.Key == typeof(StringValues?))}";
        }
    }

    private sealed class OwnTrailers : IHttpResponseTrailersFeature
    {
        public IHeaderDictionary Trailers { get; set; } = new HeaderDictionary { ["X-Own"] = "1" };
    }

    private sealed class Disposed(ProgramSession session, int number) : IDisposable
    {
        public void Dispose() => session.Note($"disposed {number}");
    }
}
