using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ioxide.Http2;

/// <summary>Which part of an exchange is which feature of its request.</summary>
internal static class OwnFeatures
{
    // The parts as numbers: code for a dictionary with a type of ours cannot be compiled ahead, and the framework brings that for numbers along.
    private static readonly Dictionary<Type, int> s_parts = Make();

    internal static IEnumerable<Type> All => s_parts.Keys;

    internal static ExchangePart PartOf(Type key) => s_parts.TryGetValue(key, out int part) ? (ExchangePart)part : ExchangePart.None;

    private static Dictionary<Type, int> Make()
    {
        var parts = new Dictionary<Type, int>();
        Add(
            ExchangePart.Request,
            typeof(IHttpRequestFeature), typeof(IRequestBodyPipeFeature), typeof(IHttpRequestTrailersFeature),
            typeof(IHttpMaxRequestBodySizeFeature), typeof(IHttpRequestBodyDetectionFeature));
        Add(ExchangePart.Answer, typeof(IHttpResponseFeature), typeof(IHttpResponseBodyFeature), typeof(IHttpResponseTrailersFeature));
        Add(ExchangePart.Connection, typeof(IHttpConnectionFeature));
        Add(
            ExchangePart.Exchange,
            typeof(IHttpRequestIdentifierFeature), typeof(IHttpRequestLifetimeFeature), typeof(IHttpResetFeature),
            typeof(IBadRequestExceptionFeature), typeof(IHttpBodyControlFeature), typeof(IHttp2StreamIdFeature),
            typeof(IHttpMinRequestBodyDataRateFeature), typeof(IPersistentStateFeature), typeof(IBodyReferenceFeature), typeof(IEndpointFeature),
            typeof(IRouteValuesFeature));
        Add(ExchangePart.Connect, typeof(IHttpExtendedConnectFeature), typeof(IHttpUpgradeFeature));
        return parts;

        void Add(ExchangePart part, params Type[] features)
        {
            foreach (Type feature in features)
            {
                parts.Add(feature, (int)part);
            }
        }
    }
}
