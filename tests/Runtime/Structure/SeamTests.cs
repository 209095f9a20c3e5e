using System.Reflection;
using System.Reflection.Metadata;

namespace Ioxide.Tests;

/// <summary>
/// What a package uses of another's internals is listed, and the list only shrinks: a member that is missing from it belongs into the
/// public surface, or is not for other packages. The lists are read from the built assemblies; a constant leaves no trace there.
/// </summary>
[Once]
public class SeamTests
{
    [Theory, Each("Ioxide.AspNetCore", "Ioxide.Files", "Ioxide.Http2", "Ioxide.Pg", "Ioxide.Tls")]
    public void UsesTheInternalsThatAreListed(string package)
    {
        string actual = string.Concat(InternalsUsedBy(package).Select(line => line + "\n"));
        string path = Path.Combine(Repository.Root, "tests", "Runtime", "Structure", "Seams", $"{package}.approved.txt");
        string[] before = Approval.Read(path, actual).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        string[] now = actual.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.True(before.SequenceEqual(now), $"""
            {package} does not use the internals that are listed for it:
            {string.Join('\n', before.Except(now).Select(line => $"- {line}").Concat(now.Except(before).Select(line => $"+ {line}")))}
            If that is intended: {Approval.Variable}=1 ./test.sh SeamTests, and commit tests/Runtime/Structure/Seams/.
            """);
    }

    /// <summary>The control: what is public is not listed, and what is listed is not public.</summary>
    [Fact]
    public void WhatIsPublicIsNotListed()
    {
        string[] used = [.. InternalsUsedBy("Ioxide.Pg")];

        Assert.Contains("Ioxide: TimerEntry", used);
        Assert.DoesNotContain("Ioxide: Reactor", used);
        Assert.DoesNotContain(used, line => line.StartsWith("Ioxide: Reactor.get_Current ", StringComparison.Ordinal));
        Assert.DoesNotContain(used, line => line.StartsWith("Ioxide: ReactorGroup.get_Reactors", StringComparison.Ordinal));
    }

    private static SortedSet<string> InternalsUsedBy(string package)
    {
        using var assembly = new CompiledAssembly(package);
        MetadataReader metadata = assembly.Metadata;
        var lines = new SortedSet<string>(StringComparer.Ordinal);
        var providers = new Dictionary<string, CompiledAssembly>();
        try
        {
            foreach (TypeReferenceHandle handle in metadata.TypeReferences)
            {
                if (ProviderOf(metadata, handle, providers) is { } type && !IsVisible(type.Metadata, type.Type))
                {
                    lines.Add($"{type.Provider}: {NameOf(type.Metadata, type.Type)}");
                }
            }

            foreach (MemberReferenceHandle handle in metadata.MemberReferences)
            {
                MemberReference member = metadata.GetMemberReference(handle);
                if (TypeOf(metadata, member.Parent) is { } parent && ProviderOf(metadata, parent, providers) is { } owner
                    && IsVisible(owner.Metadata, owner.Type) && !HasVisible(owner.Metadata, owner.Type, metadata, member))
                {
                    lines.Add($"{owner.Provider}: {NameOf(owner.Metadata, owner.Type)}.{metadata.GetString(member.Name)}");
                }
            }

            return lines;
        }
        finally
        {
            foreach (CompiledAssembly provider in providers.Values)
            {
                provider.Dispose();
            }
        }
    }

    private static (string Provider, MetadataReader Metadata, TypeDefinition Type)? ProviderOf(
        MetadataReader metadata, TypeReferenceHandle handle, Dictionary<string, CompiledAssembly> providers)
    {
        TypeReference reference = metadata.GetTypeReference(handle);
        string name = metadata.GetString(reference.Name);
        if (reference.ResolutionScope.Kind == HandleKind.TypeReference)
        {
            return ProviderOf(metadata, (TypeReferenceHandle)reference.ResolutionScope, providers) is not { } outer
                ? null
                : (outer.Provider, outer.Metadata, outer.Type.GetNestedTypes().Select(outer.Metadata.GetTypeDefinition)
                    .Single(type => outer.Metadata.GetString(type.Name) == name));
        }

        if (reference.ResolutionScope.Kind != HandleKind.AssemblyReference)
        {
            return null;
        }

        string provider = metadata.GetString(metadata.GetAssemblyReference((AssemblyReferenceHandle)reference.ResolutionScope).Name);
        if (provider != "Ioxide" && !provider.StartsWith("Ioxide.", StringComparison.Ordinal))
        {
            return null;
        }

        if (!providers.TryGetValue(provider, out CompiledAssembly? assembly))
        {
            providers.Add(provider, assembly = new CompiledAssembly(provider));
        }

        string place = metadata.GetString(reference.Namespace);
        MetadataReader its = assembly.Metadata;
        return (provider, its, its.TypeDefinitions.Select(its.GetTypeDefinition).Single(type => type.GetDeclaringType().IsNil
            && its.GetString(type.Name) == name && its.GetString(type.Namespace) == place));
    }

    /// <summary>The type that a member is named of, without its arguments where it is generic.</summary>
    private static TypeReferenceHandle? TypeOf(MetadataReader metadata, EntityHandle parent)
    {
        if (parent.Kind == HandleKind.TypeReference)
        {
            return (TypeReferenceHandle)parent;
        }

        if (parent.Kind != HandleKind.TypeSpecification)
        {
            return null;
        }

        BlobReader signature = metadata.GetBlobReader(metadata.GetTypeSpecification((TypeSpecificationHandle)parent).Signature);
        if (signature.ReadCompressedInteger() != (int)SignatureTypeCode.GenericTypeInstance)
        {
            return null;
        }

        _ = signature.ReadCompressedInteger();
        EntityHandle generic = signature.ReadTypeHandle();
        return generic.Kind == HandleKind.TypeReference ? (TypeReferenceHandle)generic : null;
    }

    /// <summary>Whether a public or protected member has this name and, if it is a method, as many parameters.</summary>
    private static bool HasVisible(MetadataReader its, TypeDefinition type, MetadataReader metadata, MemberReference member)
    {
        string name = metadata.GetString(member.Name);
        if (member.GetKind() == MemberReferenceKind.Field)
        {
            return type.GetFields().Select(its.GetFieldDefinition).Any(field => its.GetString(field.Name) == name
                && IsVisible((int)(field.Attributes & FieldAttributes.FieldAccessMask)));
        }

        int parameters = ParametersOf(metadata, member.Signature);
        return type.GetMethods().Select(its.GetMethodDefinition).Any(method => its.GetString(method.Name) == name
            && IsVisible((int)(method.Attributes & MethodAttributes.MemberAccessMask)) && ParametersOf(its, method.Signature) == parameters);
    }

    private static int ParametersOf(MetadataReader metadata, BlobHandle signature)
    {
        BlobReader reader = metadata.GetBlobReader(signature);
        if (reader.ReadSignatureHeader().IsGeneric)
        {
            _ = reader.ReadCompressedInteger();
        }

        return reader.ReadCompressedInteger();
    }

    // The numbers are the same for fields and methods: family, family or assembly, public.
    private static bool IsVisible(int access)
        => access is (int)MethodAttributes.Family or (int)MethodAttributes.FamORAssem or (int)MethodAttributes.Public;

    private static bool IsVisible(MetadataReader its, TypeDefinition type)
        => (type.Attributes & TypeAttributes.VisibilityMask) is TypeAttributes.Public
            || ((type.Attributes & TypeAttributes.VisibilityMask) is TypeAttributes.NestedPublic
                && IsVisible(its, its.GetTypeDefinition(type.GetDeclaringType())));

    private static string NameOf(MetadataReader its, TypeDefinition type)
        => (type.GetDeclaringType().IsNil ? "" : NameOf(its, its.GetTypeDefinition(type.GetDeclaringType())) + ".") + its.GetString(type.Name);
}
