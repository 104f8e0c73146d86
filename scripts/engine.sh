# shellcheck shell=bash
# What scripts/image and scripts/image-test share: the program that builds and runs containers.
#
#   CLOAKROOM_ENGINE   docker, podman or buildah; unless set, the first that answers
#   CLOAKROOM_BASES    a program that makes the base images on a machine that reaches no registry, and prints an
#                      `export` line for podman and buildah; ../shared/container/bases beside the checkout unless set

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bases=${CLOAKROOM_BASES:-$root/../shared/container/bases}
# shellcheck disable=SC2034 # for the scripts
image=cloakroom
# What a script ends with on a machine that cannot do this at all (EX_UNAVAILABLE), which is no failure of the image.
# shellcheck disable=SC2034
unavailable=69
engine=''

# answers ENGINE: whether it is there and does what it is told; docker without its daemon does not.
answers() { command -v "$1" >/dev/null && timeout 60 "$1" info >/dev/null 2>&1; }

# choose_engine ENGINE...: sets `engine` to the first that answers; installs podman when none does.
choose_engine() {
    local candidate candidates=("$@") packages=(podman runc netavark)
    [ -z "${CLOAKROOM_ENGINE-}" ] || candidates=("$CLOAKROOM_ENGINE")
    [ "$(id -u)" -eq 0 ] || packages+=(uidmap slirp4netns fuse-overlayfs) # what podman needs without root
    for candidate in "${candidates[@]}"; do
        if answers "$candidate"; then engine=$candidate; fi
        [ -z "$engine" ] || return 0
    done
    if [ -z "${CLOAKROOM_ENGINE-}" ] && command -v dpkg-query >/dev/null; then
        "$root/scripts/deps" "${packages[@]}" >&2 || true
        if answers podman; then engine=podman; fi
        [ -z "$engine" ] || return 0
    fi
    {
        echo 'no container engine answers:'
        for candidate in "${candidates[@]}"; do
            if command -v "$candidate" >/dev/null; then
                echo "  $candidate: '$candidate info' fails; is its daemon running, and may this user ask it?"
            else
                echo "  $candidate: not installed"
            fi
        done
        echo "start one of them, or install podman: scripts/deps ${packages[*]}"
    } >&2
    return 1
}

# has_image NAME: whether the image is on this machine.
has_image() {
    case $engine in
        buildah) buildah inspect --type image "$1" ;;
        *) "$engine" image inspect "$1" ;;
    esac >/dev/null 2>&1
}

# is_made_here NAME: whether the image came from $bases, not from a registry.
is_made_here() { [ "$engine" != docker ] && has_image "localhost/$1"; }

# make_bases: makes the base images, unless they are there, and takes over the environment that they need.
make_bases() {
    local printed line
    [ -x "$bases" ] || return 1
    printed=$("$bases") || return 1
    line=$(grep -E '^export( [A-Z_]+=[A-Za-z0-9/_.:-]+)+$' <<<"$printed" | tail -n 1) || return 0
    eval "$line"
}
