using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Files.Tests;

/// <summary>What an application says of an endpoint or a group of them.</summary>
/// <param name="Feature">Its name where features of endpoints are counted.</param>
/// <param name="Text">As it stands in code.</param>
/// <param name="Apply">Says it.</param>
internal sealed record GeneratedConvention(string Feature, string Text, Action<IEndpointConventionBuilder> Apply)
{
    /// <summary>Its name where features of groups and folders are counted.</summary>
    internal string Kind => Text[..Text.IndexOf('(', StringComparison.Ordinal)];

    internal const string Cors = "open";
    internal const string Rate = "refuses";
    internal const string Admin = "admin";

    private static readonly string[][] s_hosts =
    [
        ["admin.example.com"], ["*.example.com"], ["*:8080"], ["example.com:80"], ["EXAMPLE.com", "other.org"], ["*"],
        ["*.example.com:8080", "localhost"],
    ];

    /// <summary>Makes one of those that the application has the middleware for.</summary>
    internal static GeneratedConvention Of(FaultDice dice, ApplicationServices services)
    {
        while (true)
        {
            switch (dice.Below(19))
            {
                case 0 or 14 or 15 or 16 when services.HasFlag(ApplicationServices.Authorization):
                    return new("RequireAuthorization", "RequireAuthorization()", static builder => builder.RequireAuthorization());
                case 1 when services.HasFlag(ApplicationServices.Authorization):
                    return new(
                        "RequireAuthorization of a policy", "RequireAuthorization(\"admin\")", static builder => builder.RequireAuthorization(Admin));
                case 2 when services.HasFlag(ApplicationServices.Authorization):
                    return new("AllowAnonymous", "AllowAnonymous()", static builder => builder.AllowAnonymous());
                case 3 or 4 or 5:
                    string[] hosts = dice.Pick(s_hosts);
                    return new(
                        $"RequireHost {string.Join(' ', hosts)}", $"RequireHost({string.Join(", ", hosts)})", builder => builder.RequireHost(hosts));
                case 6:
                    int order = dice.Pick([-1, 1, 5]);
                    return new($"order {order}", $"WithOrder({order})", builder => builder.WithOrder(order));
                case 7 when services.HasFlag(ApplicationServices.Cors):
                    return new("RequireCors", "RequireCors()", static builder => builder.RequireCors(Cors));
                case 8 when services.HasFlag(ApplicationServices.RateLimits):
                    return new("RequireRateLimiting", "RequireRateLimiting()", static builder => builder.RequireRateLimiting(Rate));
                case 9 when services.HasFlag(ApplicationServices.OutputCache):
                    return new("CacheOutput", "CacheOutput()", static builder => builder.CacheOutput());
                case 10:
                    return new("ShortCircuit", "ShortCircuit()", static builder => builder.ShortCircuit());
                case 11 or 17 or 18 when services.HasFlag(ApplicationServices.Tenants):
                    return new("own matcher policy", "WithMetadata(Tenant blue)", static builder => builder.WithMetadata(new Tenant("blue")));
                case 12:
                    return new(
                        "content encoding", "WithMetadata(encoding gzip)",
                        static builder => builder.WithMetadata(new ContentEncodingMetadata("gzip", 0.9)));
                case 13:
                    return new("accepts", "WithMetadata(accepts text/plain)", static builder => builder.WithMetadata(new AcceptsText()));
                default:
                    break;
            }
        }
    }

    public override string ToString() => $".{Text}";

    private sealed class AcceptsText : IAcceptsMetadata
    {
        public IReadOnlyList<string> ContentTypes { get; } = ["text/plain"];

        public Type? RequestType => null;

        public bool IsOptional => true;
    }
}
